/** Makes something of a part of a snapshot, once: parts do not change within a snapshot. The weak map keeps no snapshot alive. */
export function derived<K extends object, V extends object>(make: (part: K) => V): (part: K) => V {
  const made = new WeakMap<K, V>();
  return (part) => {
    const known = made.get(part);
    if (known !== undefined) return known;
    const fresh = make(part);
    made.set(part, fresh);
    return fresh;
  };
}

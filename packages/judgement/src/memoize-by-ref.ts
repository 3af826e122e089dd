/** Makes something of a part of a snapshot, once: parts do not change within a snapshot. The weak map keeps no snapshot alive. */
export function memoizeByRef<K extends object, V extends object>(make: (part: K) => V): (part: K) => V {
  const made = new WeakMap<K, V>();
  return (part) => {
    const known = made.get(part);
    if (known !== undefined) return known;
    const fresh = make(part);
    made.set(part, fresh);
    return fresh;
  };
}

/**
 * The same for what belongs to one request, whose parts are asked for one right after the other: the last one is remembered. A weak map of
 * requests would be walked by every garbage collection, which took more time than it spared.
 */
export function memoizeLast<K extends object, V extends object>(make: (part: K) => V): (part: K) => V {
  let last: K | undefined;
  let made: V | undefined;
  return (part) => {
    if (part === last && made !== undefined) return made;
    const fresh = make(part);
    last = part;
    made = fresh;
    return fresh;
  };
}

/** Memoizes a function of an immutable part of a snapshot. The weak map does not keep a snapshot alive. */
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
 * Memoizes the last call only, for parts of one request, which are read in close succession. A weak map of requests cost more time in
 * garbage collection than it saved.
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

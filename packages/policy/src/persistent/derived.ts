import { type Difference, PersistentMap } from './persistent-map.ts';

/**
 * Makes something of a map, once for each version of it. Where another version of the same map is known, only what changed since is
 * looked at.
 * INVARIANT: `update` gives what `make` would give for the newer map, so history plays no part in what comes out.
 */
export function derivedFrom<V, D extends object>(
  make: (map: ReadonlyMap<string, V>) => D,
  update: (from: D, differences: readonly Difference<V>[]) => D,
): (map: ReadonlyMap<string, V>) => D {
  const made = new WeakMap<ReadonlyMap<string, V>, D>();
  const latest = new WeakMap<object, PersistentMap<V>>();
  return (map) => {
    const known = made.get(map);
    if (known !== undefined) return known;
    const near = map instanceof PersistentMap ? latest.get(map.lineage) : undefined;
    const from = near && made.get(near);
    const derived =
      near === undefined || from === undefined ? make(map) : update(from, (map as PersistentMap<V>).differencesFrom(near));
    made.set(map, derived);
    if (map instanceof PersistentMap) latest.set(map.lineage, map);
    return derived;
  };
}

/** Entries of a map by a text that they hold: for each text, the entries that hold it. */
export type Index<V> = PersistentMap<PersistentMap<V>>;

/** Indexes maps by texts of their values, and keeps the index up to date. A value may give several texts, or none. */
export function indexedBy<V>(textsOf: (value: V, key: string) => readonly string[]): (map: ReadonlyMap<string, V>) => Index<V> {
  const make = (map: ReadonlyMap<string, V>): Index<V> => {
    const groups = new Map<string, [string, V][]>();
    for (const [key, value] of map) {
      for (const text of new Set(textsOf(value, key))) {
        const group = groups.get(text);
        if (group === undefined) groups.set(text, [[key, value]]);
        else group.push([key, value]);
      }
    }
    return PersistentMap.from([...groups].map(([text, group]) => [text, PersistentMap.from(group)] as const));
  };
  const update = (from: Index<V>, differences: readonly Difference<V>[]): Index<V> => {
    let index = from;
    for (const { key, before, after } of differences) {
      const added = new Set(after === undefined ? [] : textsOf(after, key));
      for (const text of before === undefined ? [] : textsOf(before, key)) {
        if (added.has(text)) continue;
        const rest = index.get(text)?.without(key);
        index = rest === undefined || rest.size === 0 ? index.without(text) : index.with(text, rest);
      }
      for (const text of added) index = index.with(text, (index.get(text) ?? PersistentMap.empty<V>()).with(key, after as V));
    }
    return index;
  };
  return derivedFrom(make, update);
}

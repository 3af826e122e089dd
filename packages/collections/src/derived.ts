import { type Difference, type MapBuilder, PersistentMap } from './persistent-map.ts';
import { finished, STEP_ENTRIES, type Steps, sortedInSteps } from './steps.ts';

/** A memoized function of a map. `inSteps` computes it in steps, for maps that may be large. */
export interface Derived<V, D> {
  (map: ReadonlyMap<string, V>): D;
  inSteps(map: ReadonlyMap<string, V>): Steps<D>;
}

/**
 * Memoizes a value derived from each version of a map. If another version of the same map is cached, only the differences are processed.
 * INVARIANT: `update` returns what `make` would return for the newer map, so the result does not depend on history.
 */
export function derivedFrom<V, D extends object>(
  make: (map: ReadonlyMap<string, V>) => Steps<D>,
  update: (from: D, differences: readonly Difference<V>[]) => D,
): Derived<V, D> {
  const made = new WeakMap<ReadonlyMap<string, V>, D>();
  const latest = new WeakMap<object, PersistentMap<V>>();
  function* inSteps(map: ReadonlyMap<string, V>): Steps<D> {
    const known = made.get(map);
    if (known !== undefined) return known;
    const near = map instanceof PersistentMap ? latest.get(map.lineage) : undefined;
    const from = near && made.get(near);
    const derived =
      near === undefined || from === undefined ? yield* make(map) : update(from, (map as PersistentMap<V>).differencesFrom(near));
    made.set(map, derived);
    if (map instanceof PersistentMap) latest.set(map.lineage, map);
    return derived;
  }
  return Object.assign((map: ReadonlyMap<string, V>) => made.get(map) ?? finished(inSteps(map)), { inSteps });
}

/** Entries of a map, grouped by a text of their values. */
export type Index<V> = PersistentMap<PersistentMap<V>>;

/** Indexes maps by texts of their values, and updates the index incrementally. A value may have several texts, or none. */
export function indexedBy<V>(textsOf: (value: V, key: string) => readonly string[]): Derived<V, Index<V>> {
  function* make(map: ReadonlyMap<string, V>): Steps<Index<V>> {
    // Most texts have one entry. Build groups at the end, to avoid a builder for each of these.
    const first = new Map<string, readonly [string, V]>();
    const more = new Map<string, MapBuilder<V>>();
    let seen = 0;
    for (const entry of map) {
      const [key, value] = entry;
      const texts = textsOf(value, key);
      for (const text of texts.length < 2 ? texts : new Set(texts)) {
        const earlier = first.get(text);
        if (earlier === undefined) first.set(text, entry);
        else builderOf(more, text, earlier).add([key], [value]);
      }
      if (++seen % STEP_ENTRIES === 0) yield undefined;
    }
    const texts = yield* sortedInSteps([...first.keys()]);
    const index = PersistentMap.builder<PersistentMap<V>>();
    for (let from = 0; from < texts.length; from += STEP_ENTRIES) {
      const part = texts.slice(from, from + STEP_ENTRIES);
      const groups = part.map((text) => more.get(text)?.finish() ?? PersistentMap.of(...(first.get(text) as [string, V])));
      index.add(part, groups);
      yield undefined;
    }
    return index.finish();
  }
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

function builderOf<V>(builders: Map<string, MapBuilder<V>>, text: string, [key, value]: readonly [string, V]): MapBuilder<V> {
  const known = builders.get(text);
  if (known !== undefined) return known;
  const builder = PersistentMap.builder<V>();
  builder.add([key], [value]);
  builders.set(text, builder);
  return builder;
}

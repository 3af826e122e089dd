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

/** A read-only view of a map that maps each value when it is read. */
export class MappedView<V, W> implements ReadonlyMap<string, W> {
  readonly #from: ReadonlyMap<string, V>;
  readonly #show: (value: V, key: string) => W;

  constructor(from: ReadonlyMap<string, V>, show: (value: V, key: string) => W) {
    this.#from = from;
    this.#show = show;
  }

  get size(): number {
    return this.#from.size;
  }

  get(key: string): W | undefined {
    const value = this.#from.get(key);
    return value === undefined ? undefined : this.#show(value, key);
  }

  has(key: string): boolean {
    return this.#from.has(key);
  }

  *entries(): Generator<[string, W], undefined> {
    for (const [key, value] of this.#from) yield [key, this.#show(value, key)];
    return undefined;
  }

  [Symbol.iterator](): Generator<[string, W], undefined> {
    return this.entries();
  }

  keys(): MapIterator<string> {
    return this.#from.keys();
  }

  *values(): Generator<W, undefined> {
    for (const [key, value] of this.#from) yield this.#show(value, key);
    return undefined;
  }

  forEach(visit: (value: W, key: string, map: ReadonlyMap<string, W>) => void): void {
    for (const [key, value] of this.entries()) visit(value, key, this);
  }
}

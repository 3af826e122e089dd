import { appended, ascending, built, compare, descending, find, inserted, removed, sizeOf, type Tree } from './tree.ts';

/** A change of one key between two versions of a map. An absent side means that the key was absent. */
export interface Difference<V> {
  readonly key: string;
  readonly before?: V;
  readonly after?: V;
}

/** Builds a map from entries. An entry replaces an earlier one with the same key. */
export interface MapBuilder<V> {
  add(keys: readonly string[], values: readonly V[]): void;
  finish(): PersistentMap<V>;
}

/** Whether keys ascend and follow a key. */
function isAfter(before: string | undefined, keys: readonly string[]): boolean {
  let last = before;
  for (const key of keys) {
    if (last !== undefined && last >= key) return false;
    last = key;
  }
  return true;
}

/**
 * An immutable map with text keys, ordered by code units regardless of insertion order. `with` and `without` return a new version that
 * shares all but O(log n) nodes with this one. Values are never `undefined`.
 */
export class PersistentMap<V> implements ReadonlyMap<string, V> {
  readonly #tree: Tree<V>;
  #lineage: object | undefined;

  private constructor(tree: Tree<V>, lineage?: object) {
    this.#tree = tree;
    this.#lineage = lineage;
  }

  /** Shared by all versions of one map, so that a value derived from one version can be updated to another. */
  get lineage(): object {
    this.#lineage ??= {};
    return this.#lineage;
  }

  static empty<V>(): PersistentMap<V> {
    return new PersistentMap<V>(undefined);
  }

  /** A map with one entry. */
  static of<V>(key: string, value: V): PersistentMap<V> {
    return new PersistentMap(inserted(undefined, key, value));
  }

  static from<V>(entries: Iterable<readonly [string, V]>): PersistentMap<V> {
    const list = [...new Map(entries)].sort(([a], [b]) => (a < b ? -1 : 1));
    return PersistentMap.#built(list);
  }

  /** Like `from`, for entries whose keys already ascend. Does not sort. Throws if the keys do not ascend. */
  static fromAscending<V>(entries: readonly (readonly [string, V])[]): PersistentMap<V> {
    for (let index = 1; index < entries.length; index++) {
      if ((entries[index - 1]?.[0] as string) >= (entries[index]?.[0] as string)) throw new Error('keys must ascend');
    }
    return PersistentMap.#built(entries);
  }

  static #built<V>(entries: readonly (readonly [string, V])[]): PersistentMap<V> {
    const [keys, values] = [entries.map(([key]) => key), entries.map(([, value]) => value)];
    return new PersistentMap(built(keys, values));
  }

  /** Builds a map in parts. Parts whose keys ascend and follow those of earlier parts are the cheapest. */
  static builder<V>(): MapBuilder<V> {
    let tree: Tree<V>;
    let greatest: string | undefined;
    return {
      add(keys, values) {
        if (isAfter(greatest, keys)) tree = appended(tree, keys, values);
        else for (const [at, key] of keys.entries()) tree = inserted(tree, key, values[at] as V);
        for (const key of keys) if (greatest === undefined || key > greatest) greatest = key;
      },
      finish: () => new PersistentMap(tree),
    };
  }

  get size(): number {
    return sizeOf(this.#tree);
  }

  get(key: string): V | undefined {
    return find(this.#tree, key)?.value;
  }

  has(key: string): boolean {
    return find(this.#tree, key) !== undefined;
  }

  with(key: string, value: V): PersistentMap<V> {
    const tree = inserted(this.#tree, key, value);
    return tree === this.#tree ? this : new PersistentMap(tree, this.lineage);
  }

  without(key: string): PersistentMap<V> {
    const tree = removed(this.#tree, key);
    return tree === this.#tree ? this : new PersistentMap(tree, this.lineage);
  }

  /** The differences from another map. Cheap for an earlier version of this map. */
  differencesFrom(older: PersistentMap<V>): Difference<V>[] {
    const found: Difference<V>[] = [];
    compare(older.#tree, this.#tree, (key, before, after) => {
      found.push({ key, ...(before !== undefined && { before }), ...(after !== undefined && { after }) });
    });
    return found;
  }

  /** Entries in ascending key order, optionally only those after a key. */
  *ascending(afterKey?: string): Generator<[string, V], undefined> {
    for (const { key, value } of ascending(this.#tree, afterKey)) yield [key, value];
    return undefined;
  }

  /** Entries in descending key order, optionally only those before a key. */
  *descending(beforeKey?: string): Generator<[string, V], undefined> {
    for (const { key, value } of descending(this.#tree, beforeKey)) yield [key, value];
    return undefined;
  }

  entries(): Generator<[string, V], undefined> {
    return this.ascending();
  }

  [Symbol.iterator](): Generator<[string, V], undefined> {
    return this.ascending();
  }

  *keys(): Generator<string, undefined> {
    for (const { key } of ascending(this.#tree)) yield key;
    return undefined;
  }

  *values(): Generator<V, undefined> {
    for (const { value } of ascending(this.#tree)) yield value;
    return undefined;
  }

  forEach(visit: (value: V, key: string, map: ReadonlyMap<string, V>) => void): void {
    for (const { key, value } of ascending(this.#tree)) visit(value, key, this);
  }
}

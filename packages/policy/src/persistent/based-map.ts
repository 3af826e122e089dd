import { PersistentMap } from './persistent-map.ts';

type Key = boolean | bigint | string;

const GONE = Symbol('gone');

/**
 * An immutable map without an order: a table that many entries were put into at once, and what changed since. Making the table sorts
 * nothing, and a look into it is a hash. `with` and `without` make another version at the cost of a persistent map.
 */
export class BasedMap<K extends Key, V> {
  readonly #base: ReadonlyMap<K, V>;
  readonly #changes: PersistentMap<V | typeof GONE>;
  readonly size: number;

  private constructor(base: ReadonlyMap<K, V>, changes: PersistentMap<V | typeof GONE>, size: number) {
    this.#base = base;
    this.#changes = changes;
    this.size = size;
  }

  /** INVARIANT: whoever made the table changes it no more. */
  static over<K extends Key, V>(base: ReadonlyMap<K, V>): BasedMap<K, V> {
    return new BasedMap(base, PersistentMap.empty<V | typeof GONE>(), base.size);
  }

  static empty<K extends Key, V>(): BasedMap<K, V> {
    return BasedMap.over(new Map<K, V>());
  }

  get(key: K): V | undefined {
    const changed = this.#changes.size === 0 ? undefined : this.#changes.get(textOf(key));
    if (changed === undefined) return this.#base.get(key);
    return changed === GONE ? undefined : changed;
  }

  with(key: K, value: V): BasedMap<K, V> {
    const added = this.get(key) === undefined ? 1 : 0;
    return new BasedMap(this.#base, this.#changes.with(textOf(key), value), this.size + added);
  }

  without(key: K): BasedMap<K, V> {
    if (this.get(key) === undefined) return this;
    const changes = this.#base.has(key) ? this.#changes.with(textOf(key), GONE) : this.#changes.without(textOf(key));
    return new BasedMap(this.#base, changes, this.size - 1);
  }
}

/** A key as a text. The integer 5 and the text '5' are two keys. */
const textOf = (key: Key) => `${typeof key} ${String(key)}`;

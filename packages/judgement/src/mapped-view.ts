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

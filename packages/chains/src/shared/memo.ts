/**
 * Memoizes a pure function of a text for a bounded number of texts.
 *
 * The cache has two generations. Recent entries are in the young one. When it is full, it becomes the old one, and entries of the
 * previous old one are evicted. Eviction is cheap: finding the oldest entry of a full map would take longer than a hash.
 * INVARIANT: a value depends on its text alone, so a caller cannot store a wrong value. A caller with many texts only evicts others.
 */
export class Memo<Value> {
  readonly #half: number;
  #young = new Map<string, Value>();
  #old: ReadonlyMap<string, Value> = new Map();

  /** Keeps at most `max` values. */
  constructor(max: number) {
    this.#half = Math.ceil(max / 2);
  }

  get(text: string, make: () => Value): Value {
    const known = this.#young.get(text);
    if (known !== undefined) return known;
    const value = this.#old.get(text) ?? make();
    if (this.#young.size >= this.#half) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(text, value);
    return value;
  }
}

/**
 * Remembers what a pure function made of a text, for a bounded number of texts.
 *
 * There are two halves. What was asked for lately is in the young one; when that is full, it becomes the old one, and what nobody asked
 * for since the last time goes. So forgetting costs nothing: to look for the oldest entry of a full map would take longer than a hash.
 * INVARIANT: what is made depends on the text alone, so nobody can put a wrong answer here; who asks for many texts only slows others
 * down to the cost of making theirs again.
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

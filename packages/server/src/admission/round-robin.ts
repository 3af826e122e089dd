/** Items of several owners, of whom each in turn has one taken. INVARIANT: the items of an owner keep their order. */
export class RoundRobin<T> {
  /** The map keeps the order of turns: whoever had one goes to the end. */
  readonly #byOwner = new Map<string, T[]>();

  get isEmpty(): boolean {
    return this.#byOwner.size === 0;
  }

  add(owner: string, item: T): void {
    const others = this.#byOwner.get(owner);
    if (others === undefined) this.#byOwner.set(owner, [item]);
    else others.push(item);
  }

  /** The next item of the owner whose turn it is. */
  take(): T | undefined {
    for (const [owner, items] of this.#byOwner) {
      const item = items.shift();
      this.#byOwner.delete(owner);
      if (items.length > 0) this.#byOwner.set(owner, items);
      return item;
    }
    return undefined;
  }
}

/** A queue in which owners take turns. INVARIANT: the items of an owner keep their order. */
export class RoundRobin<T> {
  /** In order of turns. */
  readonly #byOwner = new Map<string, T[]>();

  get isEmpty(): boolean {
    return this.#byOwner.size === 0;
  }

  add(owner: string, item: T): void {
    const others = this.#byOwner.get(owner);
    if (others === undefined) this.#byOwner.set(owner, [item]);
    else others.push(item);
  }

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

/** How many keys may have tables, and when a key gets one. */
export interface TableRules {
  /** Keys with a table at the same time. */
  readonly capacity: number;
  /** Uses of a key before its table is made. */
  readonly usesBefore: number;
  /** A table is given up for another key's if so many uses of other keys came after its last. */
  readonly idleUses: number;
}

/**
 * Tables of the keys that are used often.
 * INVARIANT: at most `capacity` keys have a table, or one in the making. A table in use is never given up for another: with more busy
 * keys than tables, the later ones go without instead of taking them from each other.
 */
export class OftenUsed<T> {
  readonly #rules: TableRules;
  readonly #holders = new Set<OftenUsedKey<T>>();
  #uses = 0;

  constructor(rules: TableRules) {
    this.#rules = rules;
  }

  /** The number of tables. */
  get size(): number {
    return this.#holders.size;
  }

  /** A place for the table of one key. `make` is called once at most, when the key has been used often. */
  key(make: () => T | Promise<T>): OftenUsedKey<T> {
    return new OftenUsedKey(this, make);
  }

  /** Counts uses of any key. Gives the count. */
  countUses(uses: number): number {
    this.#uses += uses;
    return this.#uses;
  }

  /** Whether a key with so many uses may have a table now. It has one then, until it is released. */
  admit(key: OftenUsedKey<T>, uses: number): boolean {
    if (uses < this.#rules.usesBefore) return false;
    if (this.#holders.size >= this.#rules.capacity) {
      const idle = [...this.#holders].reduce((least, holder) => (holder.lastUse < least.lastUse ? holder : least));
      if (this.#uses - idle.lastUse < this.#rules.idleUses) return false;
      idle.release();
    }
    this.#holders.add(key);
    return true;
  }

  remove(key: OftenUsedKey<T>): void {
    this.#holders.delete(key);
  }
}

/** One key's place among those that are used often. */
export class OftenUsedKey<T> {
  readonly #all: OftenUsed<T>;
  readonly #make: () => T | Promise<T>;
  #uses = 0;
  #state: 'none' | 'making' | 'made' | 'failed' = 'none';
  #table: T | undefined;
  lastUse = 0;

  constructor(all: OftenUsed<T>, make: () => T | Promise<T>) {
    this.#all = all;
    this.#make = make;
  }

  /** The table, if there is one. Does not count as a use. */
  get table(): T | undefined {
    return this.#table;
  }

  /** Counts uses, and has the table made once there were enough. */
  use(times = 1): void {
    this.lastUse = this.#all.countUses(times);
    this.#uses += times;
    if (this.#state !== 'none' || !this.#all.admit(this, this.#uses)) return;
    this.#state = 'making';
    try {
      const made = this.#make();
      if (made instanceof Promise) made.then(this.#keep, this.#fail);
      else this.#keep(made);
    } catch {
      this.#fail();
    }
  }

  /** Gives the table up. Enough further uses have it made again. */
  release(): void {
    this.#all.remove(this);
    this.#table = undefined;
    this.#uses = 0;
    if (this.#state !== 'failed') this.#state = 'none';
  }

  readonly #keep = (table: T): void => {
    // Released while it was made: the place may be another key's by now.
    if (this.#state !== 'making') return;
    this.#table = table;
    this.#state = 'made';
  };

  /** No table can be made, so none is tried again. The key is used without one. */
  readonly #fail = (): void => {
    this.#state = 'failed';
    this.#all.remove(this);
  };
}

/** How many keys have tables, and when a key gets one. */
export interface TableRules {
  /** The maximum number of tables. */
  readonly capacity: number;
  /** Uses of a key before its table is computed. */
  readonly usesBefore: number;
  /** A table is evicted in favour of another key after this many uses of other keys. */
  readonly idleUses: number;
}

/**
 * Tables of frequently used keys.
 * INVARIANT: at most `capacity` keys have a table, or compute one. A table in use is never evicted: with more busy keys than tables, the
 * later keys have none, and busy keys do not evict each other.
 */
export class TableCache<T> {
  readonly #rules: TableRules;
  readonly #entries = new Set<CachedTable<T>>();
  #uses = 0;

  constructor(rules: TableRules) {
    this.#rules = rules;
  }

  /** The number of tables. */
  get size(): number {
    return this.#entries.size;
  }

  /** An entry for one key. `compute` is called when the key has been used often enough. */
  key(compute: () => T | Promise<T>): CachedTable<T> {
    return new CachedTable(this, compute);
  }

  /** Counts uses of any key. Returns the total. */
  countUses(uses: number): number {
    this.#uses += uses;
    return this.#uses;
  }

  /** Reserves a table for a key with this number of uses, until it is removed. Returns false if there is no room. */
  admit(key: CachedTable<T>, uses: number): boolean {
    if (uses < this.#rules.usesBefore) return false;
    if (this.#entries.size >= this.#rules.capacity) {
      const idle = [...this.#entries].reduce((least, entry) => (entry.lastUse < least.lastUse ? entry : least));
      if (this.#uses - idle.lastUse < this.#rules.idleUses) return false;
      idle.release();
    }
    this.#entries.add(key);
    return true;
  }

  remove(key: CachedTable<T>): void {
    this.#entries.delete(key);
  }
}

/** The entry of one key in a `TableCache`. */
export class CachedTable<T> {
  readonly #cache: TableCache<T>;
  readonly #compute: () => T | Promise<T>;
  #uses = 0;
  #state: 'none' | 'computing' | 'ready' | 'failed' = 'none';
  #table: T | undefined;
  lastUse = 0;

  constructor(cache: TableCache<T>, compute: () => T | Promise<T>) {
    this.#cache = cache;
    this.#compute = compute;
  }

  /** The table, if the key has one. Does not count as a use. */
  get table(): T | undefined {
    return this.#table;
  }

  /** Counts uses, and starts to compute the table when there are enough. */
  use(times = 1): void {
    this.lastUse = this.#cache.countUses(times);
    this.#uses += times;
    if (this.#state !== 'none' || !this.#cache.admit(this, this.#uses)) return;
    this.#state = 'computing';
    try {
      const table = this.#compute();
      if (table instanceof Promise) table.then(this.#store, this.#fail);
      else this.#store(table);
    } catch {
      this.#fail();
    }
  }

  /** Drops the table. It is computed again after enough further uses. */
  release(): void {
    this.#cache.remove(this);
    this.#table = undefined;
    this.#uses = 0;
    if (this.#state !== 'failed') this.#state = 'none';
  }

  readonly #store = (table: T): void => {
    // Released during the computation: another key may have its place in the cache.
    if (this.#state !== 'computing') return;
    this.#table = table;
    this.#state = 'ready';
  };

  /** There is no second attempt: the key is used without a table. */
  readonly #fail = (): void => {
    this.#state = 'failed';
    this.#cache.remove(this);
  };
}

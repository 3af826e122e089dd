import { inspect } from 'node:util';
import { LRUCache } from 'lru-cache';
import { idleLru, lazyLru, sweepIdle } from '../../admission/index.ts';

/**
 * Holds secret bytes so that they cannot slip into JSON, a log or an error, and can be wiped.
 * Takes ownership of the array: the caller must not use it any more.
 */
export class Secret {
  #bytes: Uint8Array;
  #wiped = false;

  constructor(bytes: Uint8Array) {
    // The same memory, but never as a Buffer: its `slice` gives a view where a reader expects a copy.
    this.#bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** The plain bytes themselves, not a copy. SECURITY: throws once they are wiped, because zeros would be a key that anyone can guess. */
  get bytes(): Uint8Array {
    if (this.#wiped) throw new Error('this secret was wiped');
    return this.#bytes;
  }

  /** Overwrites the bytes with zeros. */
  wipe(): void {
    this.#wiped = true;
    this.#bytes.fill(0);
  }

  toJSON(): string {
    return '[secret]';
  }

  toString(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}

/** Something that can be overwritten when it is no longer needed. */
interface Wipeable {
  wipe(): void;
}

/** A value and the number of calls that use it now. It is wiped once it is neither cached nor in use. */
interface Slot<T> {
  readonly value: T;
  users: number;
  cached: boolean;
}

interface Load<T> {
  readonly slot: Promise<Slot<T>>;
  users: number;
}

/**
 * A bounded LRU cache of secrets. A value leaves the cache when it was not used for half an hour, or others displace it, and is wiped as soon as no call uses it.
 * Concurrent loads of one name share one load.
 */
export class SecretCache<T extends Wipeable> {
  readonly #slots: LRUCache<string, Slot<T>>;
  readonly #loads = new Map<string, Load<T>>();

  constructor(max: number) {
    this.#slots = sweepIdle(
      new LRUCache({
        ...lazyLru(max),
        ...idleLru,
        dispose(slot) {
          slot.cached = false;
          wipeIfUnused(slot);
        },
      }),
    );
  }

  get size(): number {
    return this.#slots.size;
  }

  /** The value, if cached. It may be wiped once the caller awaits: use it synchronously, or call `hold`. */
  get(name: string): T | undefined {
    return this.#slots.get(name)?.value;
  }

  /** Adds a value. A value of the same name is replaced and wiped. */
  set(name: string, value: T): void {
    this.#loads.delete(name);
    this.#slots.set(name, { value, users: 0, cached: true });
  }

  /** Runs `action` with the value, loading it if needed. The value is not wiped before `action` ends. */
  async hold<R>(name: string, load: () => Promise<T>, action: (value: T) => R | Promise<R>): Promise<R> {
    const slot = this.#take(name) ?? (await this.#join(name, load));
    try {
      return await action(slot.value);
    } finally {
      slot.users--;
      wipeIfUnused(slot);
    }
  }

  delete(name: string): void {
    this.#loads.delete(name);
    this.#slots.delete(name);
  }

  /** Deletes every value that matches. A load in progress does not enter the cache. */
  deleteWhere(predicate: (value: T) => boolean): void {
    this.#loads.clear();
    for (const [name, slot] of [...this.#slots.entries()]) if (predicate(slot.value)) this.#slots.delete(name);
  }

  clear(): void {
    this.#loads.clear();
    this.#slots.clear();
  }

  #take(name: string): Slot<T> | undefined {
    const slot = this.#slots.get(name);
    if (slot !== undefined) slot.users++;
    return slot;
  }

  /** The slot of a load that is in progress or begins now. The caller already counts as its user. */
  #join(name: string, load: () => Promise<T>): Promise<Slot<T>> {
    let entry = this.#loads.get(name);
    if (entry === undefined) {
      const started: Load<T> = {
        users: 0,
        slot: load().then(
          (value) => this.#admit(name, started, value),
          (error: unknown) => {
            if (this.#loads.get(name) === started) this.#loads.delete(name);
            throw error;
          },
        ),
      };
      entry = started;
      this.#loads.set(name, entry);
    }
    entry.users++;
    return entry.slot;
  }

  /** INVARIANT: a load that was deleted concurrently is not in the map. Its waiting calls get the value, which is not cached. */
  #admit(name: string, load: Load<T>, value: T): Slot<T> {
    const slot: Slot<T> = { value, users: load.users, cached: this.#loads.get(name) === load };
    if (slot.cached) {
      this.#loads.delete(name);
      this.#slots.set(name, slot);
    }
    return slot;
  }
}

function wipeIfUnused<T extends Wipeable>(slot: Slot<T>): void {
  if (!slot.cached && slot.users === 0) slot.value.wipe();
}

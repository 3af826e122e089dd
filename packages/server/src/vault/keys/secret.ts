import { inspect } from 'node:util';

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

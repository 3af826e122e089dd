import { inspect } from 'node:util';

/**
 * Holds secret bytes so that they cannot slip into JSON, a log or an error, and can be wiped.
 * It takes the array it is given as its own: the caller keeps no other use of it.
 */
export class Secret {
  #bytes: Uint8Array;
  #wiped = false;

  constructor(bytes: Uint8Array) {
    // The same memory, but never as a Buffer, whose `slice` is a view where everyone expects a copy.
    this.#bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** The plain bytes themselves, not a copy. SECURITY: throws once they were wiped, since zeros would be a key that everyone knows. */
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

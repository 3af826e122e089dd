import { invalidTransaction } from '../shared/refusal.ts';

/** Seven bits for each of the first seven bytes of an integer: a number holds them exactly. */
const LOW_BITS = 49;
const LOW_RANGE = 2 ** LOW_BITS;
const MAX_VARINT_BYTES = 10;

/** Reads the integers and the byte strings of one protobuf message, front to back. */
export class WireReader {
  readonly #bytes: Uint8Array;
  readonly #what: string;
  #position = 0;
  /** The integer read last: `#high` times 2^49, plus `#low`. */
  #low = 0;
  #high = 0;
  #shortest = true;

  /** `what` names the message. */
  constructor(bytes: Uint8Array, what: string) {
    this.#bytes = bytes;
    this.#what = what;
  }

  get position(): number {
    return this.#position;
  }

  get atEnd(): boolean {
    return this.#position === this.#bytes.length;
  }

  /** Whether every integer so far, lengths and tags included, took no more bytes than it needs. */
  get shortest(): boolean {
    return this.#shortest;
  }

  /** The number and wire type of a field, in one integer. Beyond 2^53 it is rounded; no tag that is known comes near. */
  tag(): number {
    this.#varint();
    return this.#low + this.#high * LOW_RANGE;
  }

  /** An integer of wire type 0. */
  integer(): bigint {
    this.#varint();
    return this.last;
  }

  /** The last integer that was read. */
  get last(): bigint {
    return this.#high === 0 ? BigInt(this.#low) : (BigInt(this.#high) << BigInt(LOW_BITS)) | BigInt(this.#low);
  }

  /** A byte string of wire type 2. Shares memory with the message. */
  delimited(): Uint8Array {
    this.#varint();
    if (this.#high > 0 || this.#low > this.#bytes.length - this.#position) throw this.#endsTooEarly();
    const start = this.#position;
    this.#position += this.#low;
    return this.#bytes.subarray(start, this.#position);
  }

  #varint(): void {
    this.#low = 0;
    this.#high = 0;
    let unit = 1;
    for (let count = 0; count < MAX_VARINT_BYTES; count++) {
      const byte = this.#bytes[this.#position++];
      if (byte === undefined) throw this.#endsTooEarly();
      if (count === 7) unit = 1;
      if (count < 7) this.#low += (byte & 0x7f) * unit;
      else this.#high += (byte & 0x7f) * unit;
      unit *= 128;
      if (byte >= 0x80) continue;
      if (this.#high >= 2 ** (64 - LOW_BITS)) break;
      if (byte === 0 && count > 0) this.#shortest = false;
      return;
    }
    throw invalidTransaction(`${this.#what} holds an integer of more than 64 bits`);
  }

  #endsTooEarly(): Error {
    return invalidTransaction(`${this.#what} ends too early`);
  }
}

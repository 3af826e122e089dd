import { invalidTransaction } from '../shared/refusal.ts';

/** The refusal of bytes that are not what BIP-174 describes. */
export function malformed(reason: string) {
  return invalidTransaction(`the PSBT is not valid: ${reason}`);
}

/**
 * Reads Bitcoin's serialization from front to back. Numbers are little-endian. Results share memory with the input.
 * SECURITY: refuses a CompactSize that is longer than needed. So one content has one form, and the bytes of a transaction can be
 * hashed as they came.
 */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get position(): number {
    return this.#position;
  }

  get atEnd(): boolean {
    return this.#position === this.#bytes.length;
  }

  /** Throws unless everything was read. `what` names what the bytes are. */
  requireEnd(what: string): void {
    if (!this.atEnd) throw malformed(`bytes after the end of ${what}`);
  }

  /** The next byte, which stays unread. Undefined at the end. */
  peek(ahead = 0): number | undefined {
    return this.#bytes[this.#position + ahead];
  }

  bytes(length: number): Uint8Array {
    const start = this.#advance(length);
    return this.#bytes.subarray(start, start + length);
  }

  uint32(): number {
    return this.#view.getUint32(this.#advance(4), true);
  }

  int32(): number {
    return this.#view.getInt32(this.#advance(4), true);
  }

  uint64(): bigint {
    return this.#view.getBigUint64(this.#advance(8), true);
  }

  compactSize(): number {
    const first = this.#view.getUint8(this.#advance(1));
    if (first < 0xfd) return first;
    // Eight bytes would be more than any request holds.
    if (first === 0xff) throw malformed('a length beyond its end');
    const value = first === 0xfd ? this.#view.getUint16(this.#advance(2), true) : this.uint32();
    if (value < (first === 0xfd ? 0xfd : 0x1_0000)) throw malformed('a length in more bytes than it needs');
    return value;
  }

  /** Bytes after their length. */
  sized(): Uint8Array {
    return this.bytes(this.compactSize());
  }

  #advance(length: number): number {
    const start = this.#position;
    if (length > this.#bytes.length - start) throw malformed('it ends too early');
    this.#position = start + length;
    return start;
  }
}

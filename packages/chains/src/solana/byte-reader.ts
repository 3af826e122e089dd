import { base58 } from '@scure/base';
import { invalidTransaction } from '../shared/refusal.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads bytes from front to back, never past their end. Every refusal is a ChainError that names `subject`. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #subject: string;
  #position = 0;

  constructor(bytes: Uint8Array, subject: string) {
    this.#bytes = bytes;
    this.#subject = subject;
  }

  get position(): number {
    return this.#position;
  }

  get remaining(): number {
    return this.#bytes.length - this.#position;
  }

  take(length: number): Uint8Array {
    if (length > this.remaining) throw invalidTransaction(`${this.#subject} ends too early`);
    this.#position += length;
    return this.#bytes.subarray(this.#position - length, this.#position);
  }

  u8(): number {
    return this.take(1)[0] as number;
  }

  /** Little-endian, like every integer on this chain. */
  unsigned(byteLength: number): bigint {
    return this.take(byteLength).reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
  }

  signed(byteLength: number): bigint {
    return BigInt.asIntN(byteLength * 8, this.unsigned(byteLength));
  }

  /** An account key, a program or a block hash: 32 bytes as Base58 text. */
  key(): string {
    return base58.encode(this.take(32));
  }

  /** UTF-8 of exactly `length` bytes. Refuses malformed text instead of replacing characters. */
  text(length: number): string {
    const bytes = this.take(length);
    try {
      return utf8.decode(bytes);
    } catch {
      // A fatal decoder fails only for text that is not UTF-8.
      throw invalidTransaction(`${this.#subject} holds text that is not UTF-8`);
    }
  }

  /**
   * Compact-u16: seven bits a byte, low bits first, at most 16 bits.
   * SECURITY: takes only the shortest form. A longer form would give the same message a second encoding.
   */
  compactU16(): number {
    let value = 0;
    for (let shift = 0; shift <= 14; shift += 7) {
      const byte = this.u8();
      if (shift > 0 && byte === 0) break;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) {
        if (value > 0xffff) break;
        return value;
      }
    }
    throw invalidTransaction(`${this.#subject} holds a length that is not a shortest-form compact-u16`);
  }

  expectEnd(): void {
    if (this.remaining > 0) throw invalidTransaction(`${this.#subject} has ${this.remaining} bytes after its end`);
  }
}

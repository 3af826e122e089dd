import { invalidTransaction } from '../../shared/refusal.ts';
import type { ByteReader } from '../byte-reader.ts';

/** The longest seed for deriving an account address. */
const MAX_SEED_BYTES = 32n;

/** A little-endian u32 as the tag bytes of a bincode enum. */
export const tag = (index: number) => [index, 0, 0, 0];

/** bincode: a u64 length, then UTF-8. */
export function seed(reader: ByteReader): string {
  const length = reader.unsigned(8);
  if (length > MAX_SEED_BYTES) throw invalidTransaction('a seed is longer than 32 bytes');
  return reader.text(Number(length));
}

/** An option: one byte, and the value if that byte is 1. */
export function optional<T>(read: (reader: ByteReader) => T): (reader: ByteReader) => T | undefined {
  return (reader) => {
    const present = reader.u8();
    if (present > 1) throw invalidTransaction('the tag byte of an optional value must be 0 or 1');
    return present === 1 ? read(reader) : undefined;
  };
}

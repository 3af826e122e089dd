import { concat } from '../shared/bytes.ts';
import { invalidTransaction } from '../shared/refusal.ts';

const MAX_INT64 = 2n ** 63n - 1n;

/** A field of bytes, such as a text or a message. */
export function bytesField(field: number, content: Uint8Array): Uint8Array {
  return concat([varint(BigInt((field << 3) | 2)), varint(BigInt(content.length)), content]);
}

/** A field with a positive integer. Throws ChainError for others: 0 is written by leaving the field out. */
export function integerField(field: number, value: bigint): Uint8Array {
  if (value <= 0n || value > MAX_INT64) throw invalidTransaction(`${value} is not a positive number of 63 bits`);
  return concat([varint(BigInt(field << 3)), varint(value)]);
}

/** An integer that is not negative, in as few bytes as it needs. */
export function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Uint8Array.of(...bytes, Number(rest));
}

import type { RecordKind } from '../records.ts';

/** Overhead of a record in addition to its text: the parsed object, its MAC, and its entries in the maps and indexes of a snapshot. */
const RECORD_BYTES = 1_200;
/** A policy is also cached in compiled form. */
const POLICY_BYTES = 12_000;
/** The mark of a wallet or private key, and its entry in the map of marks. */
export const KEY_BYTES = 130;

/** Approximate memory of a record in a snapshot, in bytes. Measured on the heap and rounded up. */
export function recordBytes(kind: RecordKind, characters: number): number {
  return (kind === 'policy' ? POLICY_BYTES : RECORD_BYTES) + 2 * characters;
}

import type { RecordKind } from './records.ts';

/** A record beside its text: the object that it is read into, its MAC, and its places in the maps and indexes of a snapshot. */
const RECORD_BYTES = 1_200;
/** A policy is kept compiled as well. */
const POLICY_BYTES = 12_000;
/** The mark of a wallet or private key, and its place in the map of all. */
export const KEY_BYTES = 130;

/** About how many bytes of memory a record takes in a snapshot. Measured on the heap, and rounded up. */
export function recordBytes(kind: RecordKind, characters: number): number {
  return (kind === 'policy' ? POLICY_BYTES : RECORD_BYTES) + 2 * characters;
}

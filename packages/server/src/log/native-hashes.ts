import { sha256 } from '../vault/integrity/keyed-hash.ts';

/**
 * The hashes of the log package by the native SHA-256, because every signature leads to a leaf and to about one node above it.
 * INVARIANT: the same bytes as the package returns; a test compares them, and consistency proofs are verified with the package.
 */

const LEAF_PREFIX = 0x00;
const NODE_PREFIX = 0x01;
/** Start of the canonical text of an opening of version 2. */
const SECOND_VERSION = '{"version":2,';
const HASH_BYTES = 32;

/** The data of a leaf, equal to `commitment` of the opening with this canonical text. */
export function nativeCommitment(openingText: string, salt: Uint8Array): Buffer {
  const salted = Buffer.allocUnsafe(salt.length + Buffer.byteLength(openingText));
  salted.set(salt);
  salted.write(openingText, salt.length, 'utf8');
  const data = Buffer.allocUnsafe(1 + HASH_BYTES);
  data[0] = openingText.startsWith(SECOND_VERSION) ? 0x02 : 0x01;
  data.set(sha256(salted), 1);
  return data;
}

/** `leafHash`. */
export function nativeLeafHash(data: Uint8Array): Buffer {
  const prefixed = Buffer.allocUnsafe(1 + data.length);
  prefixed[0] = LEAF_PREFIX;
  prefixed.set(data, 1);
  return sha256(prefixed);
}

/** `nodeHash`. */
export function nativeNodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  const both = Buffer.allocUnsafe(1 + left.length + right.length);
  both[0] = NODE_PREFIX;
  both.set(left, 1);
  both.set(right, 1 + left.length);
  return sha256(both);
}

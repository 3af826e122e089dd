import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes } from '@noble/hashes/utils.js';

/** The length of every hash of the tree: SHA-256. */
export const HASH_BYTES = 32;

// RFC 6962 section 2.1: the two prefixes keep a leaf from being read as a node, and a node as a leaf.
const LEAF_PREFIX = Uint8Array.of(0x00);
const NODE_PREFIX = Uint8Array.of(0x01);

/** The root of the tree without leaves: the hash of nothing (RFC 6962 section 2.1). */
export function emptyRoot(): Uint8Array {
  return sha256(new Uint8Array());
}

/** The hash of a leaf with this data: SHA-256(0x00 || data). */
export function leafHash(data: Uint8Array): Uint8Array {
  return sha256(concatBytes(LEAF_PREFIX, data));
}

/** Computes the hash of a node. */
export type NodeHash = (left: Uint8Array, right: Uint8Array) => Uint8Array;

/** The hash of a node with these two children: SHA-256(0x01 || left || right). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(concatBytes(NODE_PREFIX, left, right));
}

/** Whether a value that came from outside can be a hash of the tree. */
export function isHash(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array && value.length === HASH_BYTES;
}

/** Whether a value that came from outside is a list of hashes. A hole in a list, which `every` would skip, is not a hash. */
export function isHashList(value: unknown): value is readonly Uint8Array[] {
  return Array.isArray(value) && Array.from(value).every(isHash);
}

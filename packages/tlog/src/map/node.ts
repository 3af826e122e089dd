import { sha256 } from '@noble/hashes/sha2.js';
import { equalBytes } from '../bytes.ts';
import { TlogError } from '../errors.ts';
import { HASH_BYTES } from '../merkle/hash.ts';

/** SHA-256. A server passes a native implementation. */
export type Sha256 = (data: Uint8Array) => Uint8Array;

/** A key of the map and its value: 32 bytes each. */
export interface MapEntry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** A bucket has entries in ascending order of their keys. An inner node has 16 children, undefined if empty. */
export type MapNode =
  | { readonly kind: 'bucket'; readonly entries: readonly MapEntry[] }
  | { readonly kind: 'inner'; readonly children: readonly (Uint8Array | undefined)[] };

/** Entries of a full bucket. One more makes it an inner node. */
export const BUCKET_ENTRIES = 16;

export const FAN_OUT = 16;

const BUCKET = 0x00;
const INNER = 0x01;
/** RFC 6962 uses 0x00 and 0x01 for the tree, so no bytes are both a node of the tree and a node of the map. */
const HASH_PREFIX = 0x02;
const ENTRY_BYTES = 2 * HASH_BYTES;
const EMPTY_CHILD = new Uint8Array(HASH_BYTES);

/** A bucket: 0x00 || (key || value)*. An inner node: 0x01 || 16 hashes, 32 zero bytes for an empty child. */
export function encodeNode(node: MapNode): Uint8Array {
  if (node.kind === 'inner') {
    const bytes = new Uint8Array(1 + FAN_OUT * HASH_BYTES);
    bytes[0] = INNER;
    for (const [at, hash] of node.children.entries()) if (hash !== undefined) bytes.set(hash, 1 + at * HASH_BYTES);
    return bytes;
  }
  const bytes = new Uint8Array(1 + node.entries.length * ENTRY_BYTES);
  bytes[0] = BUCKET;
  for (const [at, { key, value }] of node.entries.entries()) {
    bytes.set(key, 1 + at * ENTRY_BYTES);
    bytes.set(value, 1 + at * ENTRY_BYTES + HASH_BYTES);
  }
  return bytes;
}

/** Reads a node. Throws TlogError for bytes that `encodeNode` does not return. */
export function decodeNode(bytes: Uint8Array): MapNode {
  if (bytes[0] === INNER && bytes.length === 1 + FAN_OUT * HASH_BYTES) {
    const children = Array.from({ length: FAN_OUT }, (_, at) => {
      const hash = bytes.subarray(1 + at * HASH_BYTES, 1 + (at + 1) * HASH_BYTES);
      return equalBytes(hash, EMPTY_CHILD) ? undefined : hash;
    });
    return { kind: 'inner', children };
  }
  const count = (bytes.length - 1) / ENTRY_BYTES;
  if (bytes[0] !== BUCKET || !Number.isInteger(count) || count > BUCKET_ENTRIES)
    throw new TlogError('a node of the map is neither a bucket nor an inner node');
  const entries = Array.from({ length: count }, (_, at) => {
    const start = 1 + at * ENTRY_BYTES;
    return { key: bytes.subarray(start, start + HASH_BYTES), value: bytes.subarray(start + HASH_BYTES, start + ENTRY_BYTES) };
  });
  for (let at = 1; at < count; at++)
    if (compareKeys((entries[at - 1] as MapEntry).key, (entries[at] as MapEntry).key) >= 0)
      throw new TlogError('the keys of a bucket of the map are not in ascending order');
  return { kind: 'bucket', entries };
}

/** The hash of a node: SHA-256(0x02 || node). */
export function mapNodeHash(bytes: Uint8Array, hash: Sha256 = sha256): Uint8Array {
  const prefixed = new Uint8Array(1 + bytes.length);
  prefixed[0] = HASH_PREFIX;
  prefixed.set(bytes, 1);
  return hash(prefixed);
}

/** The map without entries: one empty bucket. */
export const emptyMapNode: Uint8Array = Uint8Array.of(BUCKET);

/** The root of the map without entries. */
export function emptyMapRoot(): Uint8Array {
  return mapNodeHash(emptyMapNode);
}

/** The half byte of a key that selects the child of an inner node at this depth. */
export function nibbleAt(key: Uint8Array, depth: number): number {
  const byte = key[depth >> 1] as number;
  return depth % 2 === 0 ? byte >> 4 : byte & 0x0f;
}

export function compareKeys(left: Uint8Array, right: Uint8Array): number {
  for (let at = 0; at < HASH_BYTES; at++) {
    const difference = (left[at] as number) - (right[at] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

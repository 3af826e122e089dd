import { sha256 } from '../vault/sha256.ts';

/**
 * The hashes of the log package by the native SHA-256, because every signature leads to a leaf and to about one node above it.
 * INVARIANT: the same bytes as the package gives; a test compares them, and readers check leaves and tiles with the package.
 */

const LEAF_PREFIX = Uint8Array.of(0x00);
const NODE_PREFIX = Uint8Array.of(0x01);
const COMMITMENT_VERSION = Uint8Array.of(0x01);

/** The data of a leaf: what `commitment` gives for the opening with this canonical text. */
export const nativeCommitment = (openingText: string, salt: Uint8Array): Buffer =>
  Buffer.concat([COMMITMENT_VERSION, sha256(Buffer.concat([salt, Buffer.from(openingText, 'utf8')]))]);

/** `leafHash`. */
export const nativeLeafHash = (data: Uint8Array): Buffer => sha256(Buffer.concat([LEAF_PREFIX, data]));

/** `nodeHash`. */
export const nativeNodeHash = (left: Uint8Array, right: Uint8Array): Buffer => sha256(Buffer.concat([NODE_PREFIX, left, right]));

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { utf8Bytes } from '../bytes.ts';
import type { Sha256 } from './node.ts';

/** The newest leaf of an organization, and the head of its state after that leaf. */
export interface OrganizationHead {
  readonly organizationId: string;
  /** 0 if the organization was created and has no leaf of its own yet. */
  readonly sequence: number;
  /** Leaf hash in lower-case hex. Empty without a leaf. */
  readonly leafHash: string;
  readonly headVersion: number;
  /** SHA-256 of the MAC of the head in lower-case hex. */
  readonly headDigest: string;
}

/** The newest point of a usage bucket. */
export interface UsageHead {
  readonly revision: number;
  /** SHA-256 of the MAC of the point in lower-case hex. */
  readonly point: string;
}

/** The key of an organization. Keys of usage buckets are MACs, so the two cannot collide. */
export function organizationKey(organizationId: string, hash: Sha256 = sha256): Uint8Array {
  return hash(utf8Bytes(`organization\n${organizationId}`));
}

/** The value of an organization. */
export function organizationValue(head: OrganizationHead, hash: Sha256 = sha256): Uint8Array {
  const { organizationId, sequence, leafHash, headVersion, headDigest } = head;
  return hash(utf8Bytes(JSON.stringify({ organizationId, sequence, leafHash, headVersion, headDigest })));
}

/** The value of a usage bucket. */
export function usageValue({ revision, point }: UsageHead, hash: Sha256 = sha256): Uint8Array {
  return hash(utf8Bytes(JSON.stringify({ revision, point })));
}

/** Depth up to which nodes are read. A bucket below it needs 17 keys that share 32 bits; updates and proofs then fail. */
const MAX_DEPTH = 8;

/** The prefixes under which the nodes on the path of a key are stored: its half bytes in hex. The root has the empty prefix. */
export function prefixesOf(key: Uint8Array): readonly string[] {
  const digits = bytesToHex(key.subarray(0, MAX_DEPTH / 2));
  return Array.from({ length: MAX_DEPTH + 1 }, (_, depth) => digits.slice(0, depth));
}

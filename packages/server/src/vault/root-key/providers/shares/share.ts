import { createHash } from 'node:crypto';
import { encodeFields } from '../../../integrity/keyed-hash.ts';
import { ROOT_KEY_BYTES } from '../../root-key.ts';

/** One share of a root key. */
export interface Share {
  readonly rootKeyId: string;
  /** Counts how often the key was shared. Shares of different generations do not fit together. */
  readonly generation: number;
  readonly bytes: Uint8Array;
}

/** A share of the library has one byte more than the secret. */
const SHARE_BYTES = ROOT_KEY_BYTES + 1;
const TEXT = new RegExp(`^countersign-share-([0-9a-f]{16})-([1-9]\\d{0,3})-([0-9a-f]{${2 * SHARE_BYTES}})$`);

/** The text that an operator keeps. */
export function formatShare({ rootKeyId, generation, bytes }: Share): string {
  return `countersign-share-${rootKeyId}-${generation}-${Buffer.from(bytes).toString('hex')}`;
}

/** Undefined unless the text has the form of a share. */
export function parseShare(text: string): Share | undefined {
  const [, rootKeyId, generation, hex] = TEXT.exec(text.trim()) ?? [];
  if (rootKeyId === undefined || generation === undefined || hex === undefined) return undefined;
  return { rootKeyId, generation: Number(generation), bytes: Buffer.from(hex, 'hex') };
}

/** A hash that tells whether a share is right. A share has 256 random bits, so the hash reveals nothing about it. */
export function checkOf(share: Share): string {
  return createHash('sha256')
    .update(encodeFields('countersign/share/v1', formatShare(share)))
    .digest('hex');
}

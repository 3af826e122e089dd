import fc from 'fast-check';
import type { ChainHead, OpeningV1 } from '../../src/index.ts';
import { readVectors } from './vectors.ts';

export interface LeafVector {
  readonly opening: OpeningV1;
  readonly salt: string;
  /** The canonical bytes, as text. */
  readonly bytes: string;
  readonly leaf: string;
  readonly leafHash: string;
}

export const { chain, unusual } = readVectors<{
  chain: { organizationId: string; leaves: readonly LeafVector[]; head: ChainHead };
  unusual: readonly LeafVector[];
}>('leaves');

const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex'));
const digest = fc.oneof(hash, fc.constant(''));

export const anyOpening: fc.Arbitrary<OpeningV1> = fc
  .record({
    organizationId: name,
    sequence: fc.oneof(
      fc.constant(1),
      fc.maxSafeNat().map((count) => Math.max(count, 1)),
    ),
    previousLeaf: hash,
    activityId: name,
    fingerprint: name,
    type: name,
    status: name,
    decisionDigest: digest,
    resultDigest: digest,
    timeMs: fc.maxSafeNat(),
  })
  .map((opening) => (opening.sequence === 1 ? { ...opening, previousLeaf: '' } : opening));

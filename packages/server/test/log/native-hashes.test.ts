import { commitment, leafHash, nodeHash, type OpeningV1, type OpeningV2, openingText } from '@countersign/tlog';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nativeCommitment, nativeLeafHash, nativeNodeHash } from '../../src/log/native-hashes.ts';

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

test('native hashes equal those of the log package', () => {
  fc.assert(
    fc.property(hash, hash, fc.string({ minLength: 1, unit: 'grapheme' }), (left, right, fingerprint) => {
      const opening: OpeningV1 = {
        organizationId: 'a',
        sequence: 2,
        previousLeaf: hex(left),
        activityId: 'b',
        fingerprint,
        type: 'T',
        status: 'S',
        decisionDigest: '',
        resultDigest: hex(right),
        timeMs: 1,
      };
      const second: OpeningV2 = {
        ...opening,
        version: 2,
        shard: 0,
        revision: 1,
        credentialKind: 'API_KEY',
        authorizationDigest: hex(left),
        headVersion: 1,
        headDigest: hex(right),
      };
      const data = commitment(opening, left);
      expect(hex(nativeCommitment(openingText(opening), left))).toBe(hex(data));
      expect(hex(nativeCommitment(openingText(second), left))).toBe(hex(commitment(second, left)));
      expect(hex(nativeLeafHash(data))).toBe(hex(leafHash(data)));
      expect(hex(nativeNodeHash(left, right))).toBe(hex(nodeHash(left, right)));
    }),
  );
});

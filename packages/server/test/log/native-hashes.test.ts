import { commitment, leafHash, nodeHash, type Opening, openingText } from '@countersign/tlog';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nativeCommitment, nativeLeafHash, nativeNodeHash } from '../../src/log/native-hashes.ts';

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

test('native hashes equal those of the log package', () => {
  fc.assert(
    fc.property(hash, hash, fc.string({ minLength: 1, unit: 'grapheme' }), (left, right, fingerprint) => {
      const opening: Opening = {
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
      const data = commitment(opening, left);
      expect(hex(nativeCommitment(openingText(opening), left))).toBe(hex(data));
      expect(hex(nativeLeafHash(data))).toBe(hex(leafHash(data)));
      expect(hex(nativeNodeHash(left, right))).toBe(hex(nodeHash(left, right)));
    }),
  );
});

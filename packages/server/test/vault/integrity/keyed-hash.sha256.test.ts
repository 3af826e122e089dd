import { hash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSha256, sha256 } from '../../../src/vault/integrity/keyed-hash.ts';

test('with the addon and without it the digest is that of node:crypto', () => {
  const slow = createSha256(undefined);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (data) => {
      const expected = hash('sha256', data);
      expect(sha256(data).toString('hex')).toBe(expected);
      expect(slow(data).toString('hex')).toBe(expected);
    }),
  );
});

test('D181: an addon that gives a wrong digest is not used', () => {
  const wrong = createSha256((_, digest) => void digest.fill(0));
  expect(wrong(Buffer.from('abc')).toString('hex')).toBe(hash('sha256', 'abc'));
});

import { sha256 as portable } from '@noble/hashes/sha2.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256 } from '../../src/auth/parser-engines.ts';

test('the native hash of any bytes is the portable one', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat({ max: 20 }), (bytes, start) => {
      const part = bytes.subarray(start);
      expect(sha256(part)).toEqual(portable(part));
      expect(sha256(Buffer.from(part))).toEqual(portable(part));
    }),
  );
});

test('each digest has memory of its own, which a caller may change', () => {
  const bytes = Uint8Array.of(1, 2, 3);
  const digest = sha256(bytes);
  digest.reverse();
  expect(sha256(bytes)).toEqual(portable(bytes));
  expect(digest.buffer.byteLength).toBe(32);
});

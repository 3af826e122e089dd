import { keccak_256 } from '@noble/hashes/sha3.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createKeccak256, keccak256 } from '../../src/auth/keccak256.ts';

test('with the addon and without it the digest is that of @noble/hashes', () => {
  const slow = createKeccak256(undefined);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (data) => {
      expect(keccak256(data)).toEqual(keccak_256(data));
      expect(keccak256(Buffer.from(data))).toEqual(keccak_256(data));
      expect(slow(data)).toEqual(keccak_256(data));
    }),
  );
});

test('D181: an addon that gives a wrong digest is not used, also if only long data goes wrong', () => {
  const wrong = createKeccak256((_, digest) => void digest.fill(0));
  const short = createKeccak256((data, digest) => digest.set(data.length < 136 ? keccak_256(data) : new Uint8Array(32)));
  const data = new Uint8Array(300).fill(7);
  for (const hash of [wrong, short]) expect(hash(data)).toEqual(keccak_256(data));
});

test('each digest has memory of its own, which a caller may change', () => {
  const digest = keccak256(Uint8Array.of(1));
  digest.reverse();
  expect(keccak256(Uint8Array.of(1))).toEqual(keccak_256(Uint8Array.of(1)));
  expect(digest.buffer.byteLength).toBe(32);
});

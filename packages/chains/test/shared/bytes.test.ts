import { bytesToHex } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromHexDigits, toKey } from '../../src/shared/bytes.ts';

describe('hex digits', () => {
  test('any bytes are read from their digits, in either case', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const digits = bytesToHex(bytes);
        expect(fromHexDigits(digits)).toEqual(bytes);
        expect(fromHexDigits(digits.toUpperCase())).toEqual(bytes);
      }),
    );
  });

  test('whatever is not whole bytes of digits is refused', () => {
    const nearDigits = fc.string({ unit: fc.constantFrom(...'09afAF/:@`gGxX \n\0', 'é', 'Ā', '０', '\ud800'), maxLength: 6 });
    fc.assert(
      fc.property(nearDigits, (text) => {
        expect(fromHexDigits(text) !== undefined).toBe(/^(?:[0-9a-fA-F]{2})*$/.test(text) && !text.endsWith('\n'));
      }),
      { numRuns: 2_000 },
    );
  });
});

test('bytes with the same key are the same bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.uint8Array(), (one, other) => {
      expect(toKey(one) === toKey(other)).toBe(bytesToHex(one) === bytesToHex(other));
      expect(toKey(Buffer.from(one))).toBe(toKey(one));
    }),
  );
});

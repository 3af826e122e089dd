import fc from 'fast-check';
import { expect, test } from 'vitest';
import { groupOrders, readDerSignature } from '../../../src/auth/api-key/schemes.ts';
import { derSignature } from '../../../src/http/api/der-stamp.ts';

test('the strict stamp parser accepts every encoded signature', () => {
  // Numbers below the order: the first byte decides. Leading zeros and high bits are where encodings go wrong.
  const number = fc
    .tuple(fc.constantFrom(0, 1, 0x7f, 0x80, 0xfe), fc.uint8Array({ minLength: 31, maxLength: 31 }))
    .map(([first, rest]) => Uint8Array.from([first, ...rest]))
    .filter((bytes) => bytes.some((byte) => byte !== 0));
  fc.assert(
    fc.property(number, number, (r, s) => {
      const compact = Uint8Array.from([...r, ...s]);
      expect(Uint8Array.from(readDerSignature(derSignature(compact), groupOrders.P256) as Uint8Array)).toEqual(compact);
    }),
  );
});

import { p256 } from '@noble/curves/nist.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compressed, uncompressed } from '../../../src/vault/keys/p256-point.ts';
import { fromHex, toHex } from '../support.ts';

/** What noble makes of the same bytes; undefined where it refuses them. */
function byNoble(bytes: Uint8Array, isCompressed: boolean): string | undefined {
  try {
    const point = p256.Point.fromBytes(bytes);
    point.assertValidity();
    return toHex(point.toBytes(isCompressed));
  } catch {
    return undefined;
  }
}

function ours(convert: (bytes: Uint8Array) => Uint8Array, bytes: Uint8Array): string | undefined {
  try {
    return toHex(convert(bytes));
  } catch {
    return undefined;
  }
}

const agree = (bytes: Uint8Array) => {
  expect(ours(compressed, bytes)).toBe(byNoble(bytes, true));
  expect(ours(uncompressed, bytes)).toBe(byNoble(bytes, false));
};

const G = p256.Point.BASE;
const prime = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n;
const hex32 = (value: bigint) => value.toString(16).padStart(64, '0');
const { x, y } = G.toAffine();

describe('points of P-256', () => {
  test('keys in either form, and bytes that are none, are read as noble reads them', () => {
    const scalars = fc.bigInt(1n, p256.Point.Fn.ORDER - 1n);
    const forms = scalars.chain((scalar) => fc.boolean().map((form) => G.multiply(scalar).toBytes(form)));
    const abscissa = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Uint8Array.of(2, ...bytes));
    fc.assert(fc.property(fc.oneof(forms, abscissa), agree), { numRuns: 100 });
  });

  test.each([
    ['nothing', ''],
    ['infinity', '00'],
    ['infinity, padded', '00'.repeat(65)],
    ['a hybrid form', `0${y % 2n === 0n ? 6 : 7}${hex32(x)}${hex32(y)}`],
    ['a kind that does not exist', `05${hex32(x)}`],
    ['an uncompressed kind of 33 bytes', `04${hex32(x)}`],
    ['a compressed kind of 65 bytes', `02${hex32(x)}${hex32(y)}`],
    ['a byte too many', `02${hex32(x)}00`],
    ['a point beside the curve', `04${hex32(x)}${hex32(y + 1n)}`],
    ['zero and zero', `04${hex32(0n)}${hex32(0n)}`],
    ['an x that is not reduced', `02${hex32(prime)}`],
    ['a y that is not reduced', `04${hex32(0n)}${hex32(prime + 1n)}`],
    ['the largest number', `03${'ff'.repeat(32)}`],
  ])('%s is refused', (_name, bytes) => {
    expect(() => uncompressed(fromHex(bytes))).toThrow();
    expect(() => compressed(fromHex(bytes))).toThrow();
    agree(fromHex(bytes));
  });
});

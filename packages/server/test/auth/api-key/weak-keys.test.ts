import { ECDH, generateKeyPairSync } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { describe, expect, test } from 'vitest';
import { ed25519PublicKey, seedBytes, smallSteps } from '../../../../../scripts/weak-keys/weak-keys-module.ts';
import { publicKeyToRegister } from '../../../src/auth/api-key/public-key.ts';
import { isWeakKey } from '../../../src/auth/api-key/weak-keys.ts';
import { p256Steps, secp256k1Steps } from '../../../src/auth/api-key/weak-keys-table.ts';

const curves = [
  ['API_KEY_CURVE_P256', 'prime256v1', p256.Point, p256Steps],
  ['API_KEY_CURVE_SECP256K1', 'secp256k1', secp256k1.Point, secp256k1Steps],
] as const;

/** Around every bound of the search, and some numbers between them. */
const numbers = [1, 2, 3, 4095, 4096, 4097, 8192, 8193, 8194, 12_289, 12_290, 16_386, 31_337, 40_000, 65_535, 65_536];

describe.each(curves)('%s', (curve, native, Point, table) => {
  test('D284: finds small multiples of the generator and their negatives', () => {
    for (const k of numbers) {
      const point = Point.BASE.multiply(BigInt(k));
      for (const each of [point, point.negate()]) expect([k, isWeakKey(each.toBytes(true), curve)]).toEqual([k, true]);
    }
    const hex = Point.BASE.toHex(true);
    expect(() => publicKeyToRegister(hex, curve)).toThrow('Generate a new key pair');
  });

  test('D284: accepts random keys and larger multiples', () => {
    for (let count = 0; count < 50; count++) {
      const { publicKey } = generateKeyPairSync('ec', { namedCurve: native });
      const point = publicKey.export({ format: 'der', type: 'spki' }).subarray(-65);
      const compressed = ECDH.convertKey(point, native, undefined, 'hex', 'compressed') as string;
      expect(publicKeyToRegister(compressed, curve)).toBe(compressed);
    }
    for (const k of [70_000n, 100_000n, 1n << 20n]) expect(isWeakKey(Point.BASE.multiply(k).toBytes(true), curve)).toBe(false);
  });

  test('the generator reproduces the table', () => {
    expect(smallSteps(Point).toString('base64')).toBe(table);
  });
});

describe('API_KEY_CURVE_ED25519', () => {
  const curve = 'API_KEY_CURVE_ED25519';

  test('D284: finds the public keys of small seeds, in both byte orders', () => {
    const seeds = [0, 1, 2, 255, 256, 65_535, 65_536, ...Array.from({ length: 60 }, (_, index) => index * 1091 + 7)];
    for (const seed of seeds)
      for (const order of ['BE', 'LE'] as const)
        expect([seed, isWeakKey(ed25519PublicKey(seedBytes(seed, order)), curve)]).toEqual([seed, true]);
    const hex = ed25519PublicKey(seedBytes(1, 'BE')).toString('hex');
    expect(() => publicKeyToRegister(hex, curve)).toThrow('Generate a new key pair');
  });

  test('D284: accepts random keys and larger seeds', () => {
    for (let count = 0; count < 50; count++) {
      const { publicKey } = generateKeyPairSync('ed25519');
      const hex = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
      expect(publicKeyToRegister(hex, curve)).toBe(hex);
    }
    for (const seed of [65_537, 1_000_000]) expect(isWeakKey(ed25519PublicKey(seedBytes(seed, 'BE')), curve)).toBe(false);
  });
});

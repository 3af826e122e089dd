import { ECDH } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ChainError, type Curve, parsePublicKey } from '../../src/index.ts';
import { nativePublicKey } from './oracles.ts';

const names = { CURVE_SECP256K1: 'secp256k1', CURVE_P256: 'prime256v1' } as const;
const secrets = fc.uint8Array({ minLength: 32, maxLength: 32 }).filter((secret) => secret.some((byte) => byte !== 0));

function keyOf(curve: Curve, secret: Uint8Array): Uint8Array {
  const key = nativePublicKey(curve, secret);
  fc.pre(key !== undefined);
  return Uint8Array.from(key);
}

describe.each(['CURVE_SECP256K1', 'CURVE_P256'] as const)('%s', (curve) => {
  test('both forms of a key are read as the same key', () => {
    fc.assert(
      fc.property(secrets, (secret) => {
        const compressed = keyOf(curve, secret);
        const uncompressed = Uint8Array.from(
          ECDH.convertKey(compressed, names[curve], undefined, undefined, 'uncompressed') as Buffer,
        );
        expect(parsePublicKey(curve, compressed)).toEqual({ curve, compressed, uncompressed });
        expect(parsePublicKey(curve, uncompressed)).toEqual({ curve, compressed, uncompressed });
      }),
    );
  });

  test('D08: hybrid, off-curve and infinite points are refused', () => {
    const key = keyOf(curve, new Uint8Array(32).fill(7));
    const full = Uint8Array.from(ECDH.convertKey(key, names[curve], undefined, undefined, 'uncompressed') as Buffer);
    const hybrid = Uint8Array.from(ECDH.convertKey(key, names[curve], undefined, undefined, 'hybrid') as Buffer);
    const moved = full.slice();
    moved[64] = (moved[64] ?? 0) ^ 1;
    for (const bytes of [hybrid, moved, Uint8Array.of(0), new Uint8Array(33), full.slice(1), Uint8Array.of(5, ...key.slice(1))]) {
      expect(() => parsePublicKey(curve, bytes)).toThrow(ChainError);
    }
  });
});

test('the result shares no memory with the bytes it was read from', () => {
  for (const curve of ['CURVE_SECP256K1', 'CURVE_P256', 'CURVE_ED25519'] as const) {
    const given = Buffer.from(keyOf(curve, new Uint8Array(32).fill(9)));
    const key = parsePublicKey(curve, given);
    const before = { ...key, compressed: key.compressed.slice(), uncompressed: key.uncompressed.slice() };
    given.fill(0);
    expect(key).toEqual(before);
  }
});

describe('CURVE_ED25519', () => {
  test('a key is read as it is', () => {
    fc.assert(
      fc.property(secrets, (secret) => {
        const key = keyOf('CURVE_ED25519', secret);
        expect(parsePublicKey('CURVE_ED25519', key)).toEqual({ curve: 'CURVE_ED25519', compressed: key, uncompressed: key });
      }),
    );
  });

  test.each([
    ['the identity', `01${'00'.repeat(31)}`],
    ['a point of order 2', `ec${'ff'.repeat(30)}7f`],
    ['a point of order 4', '00'.repeat(32)],
    ['a point of order 8', '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'],
    ['a y that is not reduced', `ee${'ff'.repeat(30)}7f`],
    ['a y without an x', `02${'00'.repeat(31)}`],
  ])('%s is refused', (_, hex) => {
    expect(() => parsePublicKey('CURVE_ED25519', Uint8Array.from(Buffer.from(hex, 'hex')))).toThrow(
      'these 32 bytes are not a public key of CURVE_ED25519',
    );
  });
});

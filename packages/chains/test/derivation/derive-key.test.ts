import { HDKey } from '@scure/bip32';
import bs58 from 'bs58';
import fc from 'fast-check';
import { HDKey as Slip10Key } from 'micro-key-producer/slip10.js';
import { describe, expect, test } from 'vitest';
import { type Curve, deriveKey, formatPath, HARDENED_OFFSET, masterHmacKeys } from '../../src/index.ts';
import { readCorpus } from '../addresses/corpus.ts';
import { nativePublicKey } from '../addresses/oracles.ts';

const bip32 = readCorpus<{ name: string; seed: string; path: string; extendedPrivateKey: string }[]>('bip32');
const slip10 =
  readCorpus<{ name: string; curve: Curve; seed: string; path: string; privateKey: string; publicKey: string }[]>('slip10');

const seeds = fc.uint8Array({ minLength: 16, maxLength: 64 });
const hardenedIndex = fc.integer({ min: HARDENED_OFFSET, max: 0xffff_ffff });
const anyIndex = fc.integer({ min: 0, max: 0xffff_ffff });

function bytes(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'hex'));
}

describe('official vectors', () => {
  test.each(bip32)('$name, $path', ({ seed, path, extendedPrivateKey }) => {
    // BIP-32 serialization: the key is the last 32 bytes before the checksum.
    const expected = bs58.decode(extendedPrivateKey).slice(-36, -4);
    expect(deriveKey({ seed: bytes(seed), curve: 'CURVE_SECP256K1', path }).privateKey).toEqual(expected);
  });

  test.each(slip10)('$name, $path', ({ curve, seed, path, privateKey, publicKey }) => {
    expect(deriveKey({ seed: bytes(seed), curve, path })).toEqual({ privateKey: bytes(privateKey), publicKey: bytes(publicKey) });
  });
});

describe('against independent libraries', () => {
  test('secp256k1', () => {
    fc.assert(
      fc.property(seeds, fc.array(anyIndex, { maxLength: 6 }), (seed, indexes) => {
        const path = formatPath(indexes);
        const { privateKey, publicKey } = HDKey.fromMasterSeed(seed).derive(path);
        expect(deriveKey({ seed, curve: 'CURVE_SECP256K1', path })).toEqual({ privateKey, publicKey });
      }),
    );
  });

  test('ed25519', () => {
    fc.assert(
      fc.property(seeds, fc.array(hardenedIndex, { maxLength: 6 }), (seed, indexes) => {
        const path = formatPath(indexes);
        const { privateKey, publicKeyRaw } = Slip10Key.fromMasterSeed(seed).derive(path);
        expect(deriveKey({ seed, curve: 'CURVE_ED25519', path })).toEqual({ privateKey, publicKey: publicKeyRaw });
      }),
    );
  });

  test.each(['CURVE_SECP256K1', 'CURVE_ED25519', 'CURVE_P256'] as const)(
    'the public key of %s is that of native code',
    (curve) => {
      fc.assert(
        fc.property(seeds, fc.array(hardenedIndex, { maxLength: 3 }), (seed, indexes) => {
          const { privateKey, publicKey } = deriveKey({ seed, curve, path: formatPath(indexes) });
          expect(Buffer.from(publicKey)).toEqual(Buffer.from(nativePublicKey(curve, privateKey) ?? []));
        }),
      );
    },
  );
});

test.each([
  ['Uint8Array', bytes('000102030405060708090a0b0c0d0e0f')],
  ['Buffer', Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex')],
])('a seed in a %s is left as it is, and the same input gives the same key in fresh buffers', (_, seed) => {
  const before = Uint8Array.from(seed);
  const first = deriveKey({ seed, curve: 'CURVE_P256', path: "m/0'/1" });
  const copy = { privateKey: first.privateKey.slice(), publicKey: first.publicKey.slice() };
  first.privateKey.fill(0);
  expect(Uint8Array.from(seed)).toEqual(before);
  expect(deriveKey({ seed, curve: 'CURVE_P256', path: "m/0'/1" })).toEqual(copy);
});

test('a step that is not hardened has no meaning on ed25519', () => {
  const act = () => deriveKey({ seed: new Uint8Array(32), curve: 'CURVE_ED25519', path: "m/44'/501'/0'/0" });
  expect(act).toThrow(expect.objectContaining({ code: 'INVALID_PATH' }));
  expect(act).toThrow('level 4');
});

test.each([0, 15, 65])('a seed of %i bytes is refused', (length) => {
  expect(() => deriveKey({ seed: new Uint8Array(length), curve: 'CURVE_SECP256K1', path: 'm' })).toThrow(RangeError);
});

test('each curve has its own master key', () => {
  expect(masterHmacKeys).toEqual({
    CURVE_SECP256K1: 'Bitcoin seed',
    CURVE_ED25519: 'ed25519 seed',
    CURVE_P256: 'Nist256p1 seed',
  });
});

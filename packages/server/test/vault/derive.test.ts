import {
  type Curve,
  curves,
  deriveKey,
  entropyToMnemonic,
  formatPath,
  HARDENED_OFFSET,
  mnemonicToSeed,
} from '@countersign/chains';
import { HDKey } from '@scure/bip32';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keysByCurve } from '../../src/vault/curves/by-curve.ts';
import { derivePrivateKey } from '../../src/vault/derive.ts';
import { javascriptSecp256k1 } from '../../src/vault/secp256k1/javascript.ts';
import { loadNativeSecp256k1 } from '../../src/vault/secp256k1/native.ts';
import { generateWalletSecret, isMnemonicLength, seedOf, seedWithin } from '../../src/vault/wallet-secret.ts';
import { fromHex, readJson, toHex } from './support.ts';

const keys = keysByCurve(loadNativeSecp256k1());
const bip32 = await readJson<{ name: string; seed: string; path: string; extendedPrivateKey: string }[]>(
  '/conformance/addresses/bip32.json',
);
const slip10 = await readJson<
  { name: string; curve: Curve; seed: string; path: string; privateKey: string; publicKey: string }[]
>('/conformance/addresses/slip10.json');
const bip39 = await readJson<{ language: string; entropy: string; mnemonic: string }[]>('/conformance/addresses/bip39.json');

const derive = (seed: Uint8Array, curve: Curve, path: string, by = keys) => toHex(derivePrivateKey(by, seed, curve, path).bytes);

describe('derivation', () => {
  test.each(bip32)('$name at $path', ({ seed, path, extendedPrivateKey }) => {
    const expected = HDKey.fromExtendedKey(extendedPrivateKey).privateKey as Uint8Array;
    expect(derive(fromHex(seed), 'CURVE_SECP256K1', path)).toBe(toHex(expected));
    expect(derive(fromHex(seed), 'CURVE_SECP256K1', path, keysByCurve(javascriptSecp256k1))).toBe(toHex(expected));
  });

  test.each(slip10)('$name at $path', ({ curve, seed, path, privateKey, publicKey }) => {
    const secret = derivePrivateKey(keys, fromHex(seed), curve, path);
    expect(toHex(secret.bytes)).toBe(privateKey);
    expect(toHex(keys[curve].publicKey(secret.bytes))).toBe(publicKey);
  });

  test('is the same as the pure derivation of the chains package, on every curve', () => {
    const steps = fc.array(fc.record({ index: fc.nat({ max: HARDENED_OFFSET - 1 }), hardened: fc.boolean() }), { maxLength: 6 });
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 64, maxLength: 64 }), fc.constantFrom(...curves), steps, (seed, curve, levels) => {
        const hardenAll = curve === 'CURVE_ED25519';
        const path = formatPath(levels.map(({ index, hardened }) => (hardened || hardenAll ? index + HARDENED_OFFSET : index)));
        const pure = deriveKey({ seed, curve, path });
        const secret = derivePrivateKey(keys, seed, curve, path);
        expect(toHex(secret.bytes)).toBe(toHex(pure.privateKey));
        expect(toHex(keys[curve].publicKey(secret.bytes))).toBe(toHex(pure.publicKey));
      }),
      { numRuns: 100 },
    );
  });

  test('a malformed path and a step that the curve does not have are refused', () => {
    const seed = new Uint8Array(64);
    expect(() => derive(seed, 'CURVE_ED25519', "m/44'/501'/0'/0")).toThrow(expect.objectContaining({ code: 'INVALID_PATH' }));
    for (const path of ['', 'm/', '44/60', "m/44h/60'", 'm/2147483648']) {
      expect(() => derive(seed, 'CURVE_SECP256K1', path)).toThrow(expect.objectContaining({ code: 'INVALID_PATH' }));
    }
  });
});

describe('wallet secrets', () => {
  test('the seed of the standard phrase', async () => {
    expect(toHex(await seedOf(new Uint8Array(16)))).toBe(
      '5eb00bbddcf069084889a8ab9155568165f5c453ccb85e70811aaed6f6da5fc19a5ac40b389cd370d086206dec8aa6c43daea6690f20ad3d8d48b2d2ce9e38e4',
    );
  });

  test.each(bip39.filter(({ language }) => language === 'MNEMONIC_LANGUAGE_ENGLISH'))(
    'BIP-39: entropy $entropy',
    async ({ entropy, mnemonic }) => {
      expect(toHex(await seedOf(fromHex(entropy)))).toBe(toHex(await mnemonicToSeed(mnemonic)));
    },
  );

  test('every entropy gives the seed of its recovery phrase', async () => {
    const entropies = fc
      .constantFrom(16, 20, 24, 28, 32)
      .chain((length) => fc.uint8Array({ minLength: length, maxLength: length }));
    await fc.assert(
      fc.asyncProperty(entropies, async (entropy) => {
        expect(toHex(await seedOf(entropy))).toBe(toHex(await mnemonicToSeed(await entropyToMnemonic(entropy))));
      }),
      { numRuns: 50 },
    );
  });

  test.each([
    [12, 16],
    [15, 20],
    [18, 24],
    [21, 28],
    [24, 32],
  ] as const)('a wallet of %i words keeps %i bytes of fresh entropy and its seed', async (words, entropyBytes) => {
    const secret = await generateWalletSecret(words);
    expect(secret.bytes.length).toBe(entropyBytes + 64);
    expect(toHex(seedWithin(secret))).toBe(toHex(await seedOf(secret.bytes.slice(0, entropyBytes))));
    expect(toHex((await generateWalletSecret(words)).bytes)).not.toBe(toHex(secret.bytes));
  });

  test('other numbers of words are no recovery phrases', () => {
    expect([0, 3, 11, 13, 27, 12.5, Number.NaN].some(isMnemonicLength)).toBe(false);
  });
});

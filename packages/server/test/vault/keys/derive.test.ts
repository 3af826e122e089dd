import { type Curve, curves, deriveKey, formatPath, HARDENED_OFFSET } from '@countersign/chains';
import { HDKey } from '@scure/bip32';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keysByCurve } from '../../../src/vault/curves/by-curve.ts';
import { derivePrivateKey } from '../../../src/vault/keys/derive.ts';
import { javascriptSecp256k1 } from '../../../src/vault/secp256k1/javascript.ts';
import { loadNativeSecp256k1 } from '../../../src/vault/secp256k1/native.ts';
import { fromHex, readJson, toHex } from '../support.ts';

const keys = keysByCurve(loadNativeSecp256k1());
const bip32 = await readJson<{ name: string; seed: string; path: string; extendedPrivateKey: string }[]>(
  '/conformance/addresses/bip32.json',
);
const slip10 = await readJson<
  { name: string; curve: Curve; seed: string; path: string; privateKey: string; publicKey: string }[]
>('/conformance/addresses/slip10.json');

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

  test('equals the pure derivation of the chains package, on every curve', () => {
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

  test('a malformed path and a step that the curve does not support are refused', () => {
    const seed = new Uint8Array(64);
    expect(() => derive(seed, 'CURVE_ED25519', "m/44'/501'/0'/0")).toThrow(expect.objectContaining({ code: 'INVALID_PATH' }));
    for (const path of ['', 'm/', '44/60', "m/44h/60'", 'm/2147483648']) {
      expect(() => derive(seed, 'CURVE_SECP256K1', path)).toThrow(expect.objectContaining({ code: 'INVALID_PATH' }));
    }
  });
});

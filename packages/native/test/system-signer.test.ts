import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { secp256k1 as noble } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadSystemSigner, type SystemSigner } from '../src/index.ts';
import { joined, scalar } from './addon.ts';

const bindings: typeof import('secp256k1') = createRequire(import.meta.url)('secp256k1/bindings.js');
const { COUNTERSIGN_NATIVE } = process.env;
const system = loadSystemSigner({ COUNTERSIGN_NATIVE });
const { secp256k1Sign, secp256k1Randomize } = (system ?? {}) as SystemSigner;
const order = noble.Point.Fn.ORDER;

function sign(digest: Uint8Array, privateKey: Uint8Array): Uint8Array {
  const signature = new Uint8Array(65);
  expect(secp256k1Sign(digest, privateKey, signature)).toBe(true);
  return signature;
}

const edges = [1n, 2n, order / 2n, order / 2n + 1n, order - 1n];
const keys = fc.oneof(fc.bigInt(1n, order - 1n), fc.constantFrom(...edges)).map(scalar);
// The npm package derives the nonce of a digest above the order in another way: the vault reduces such digests.
const digests = fc.oneof(fc.bigInt(0n, order - 1n), fc.constantFrom(0n, ...edges)).map(scalar);

describe.skipIf(system === undefined)('libsecp256k1 of the system', () => {
  test('D64: returns the same bytes as the npm package and noble', () => {
    fc.assert(
      fc.property(keys, digests, (key, digest) => {
        const signature = sign(digest, key);
        const fromPackage = bindings.ecdsaSign(digest, key);
        expect(signature).toEqual(joined(fromPackage.signature, Uint8Array.of(fromPackage.recid)));
        const recovered = noble.sign(digest, key, { prehash: false, lowS: true, format: 'recovered' });
        expect(signature).toEqual(joined(recovered.slice(1), recovered.subarray(0, 1)));
      }),
      { numRuns: 300 },
    );
  });

  test('D64: blinding does not change the bytes', () => {
    const before = sign(scalar(4n), scalar(5n));
    for (let i = 0; i < 100; i++) {
      expect(secp256k1Randomize(randomBytes(32))).toBe(true);
      expect(sign(scalar(4n), scalar(5n))).toEqual(before);
    }
  });

  test('D151: does not sign with an invalid private key', () => {
    for (const key of [0n, order, order + 1n, (1n << 256n) - 1n])
      expect(secp256k1Sign(scalar(1n), scalar(key), new Uint8Array(65))).toBe(false);
  });

  test('D151: rejects arguments of a wrong type or length, and detached arrays', () => {
    const [digest, key, out, detached] = [scalar(1n), scalar(1n), new Uint8Array(65), new Uint8Array(32)];
    structuredClone(detached, { transfer: [detached.buffer] });
    const wrong: readonly (readonly unknown[])[] = [
      [digest.subarray(1), key, out],
      [digest, key.subarray(1), out],
      [digest, key, out.subarray(1)],
      [digest, key, new Uint8Array(66)],
      [new Uint8Array(64), key, out],
      [digest, key],
      [],
      ['x'.repeat(32), key, out],
      [new Uint16Array(32), key, out],
      [new DataView(new ArrayBuffer(32)), key, out],
      [new ArrayBuffer(32), key, out],
      [detached, key, out],
      [digest, detached, out],
      [null, undefined, {}],
    ];
    for (const values of wrong) expect(() => (secp256k1Sign as (...all: unknown[]) => boolean)(...values)).toThrow(TypeError);
    expect(() => secp256k1Randomize(new Uint8Array(31))).toThrow(TypeError);
  });

  test('loads in several threads', async () => {
    const build = COUNTERSIGN_NATIVE === 'sanitized' ? 'Debug' : 'Release';
    const file = JSON.stringify(new URL(`../build/${build}/system_signer.node`, import.meta.url).pathname);
    const code = `require(${file}).secp256k1Sign(new Uint8Array(32), new Uint8Array(32).fill(1), new Uint8Array(65))`;
    const codes = await Promise.all(
      Array.from({ length: 4 }, () => new Promise((resolve) => new Worker(code, { eval: true }).on('exit', resolve))),
    );
    expect(codes).toEqual([0, 0, 0, 0]);
  });
});

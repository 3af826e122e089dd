import { createHash } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CurveKeys, generatePrivateKey } from '../../src/vault/curves/curve-keys.ts';
import { ed25519Keys } from '../../src/vault/curves/ed25519.ts';
import { p256Keys } from '../../src/vault/curves/p256.ts';
import { Secret } from '../../src/vault/keys/secret.ts';
import { fromHex, readJson, toHex } from './support.ts';

const rfc6979 =
  await readJson<{ curve: string; secretKey: string; message: string; r: string; s: string }[]>('vectors/rfc6979.json');
const rfc8032 = await readJson<Record<'secretKey' | 'publicKey' | 'message' | 'signature', string>[]>('vectors/rfc8032.json');

const { Fn } = p256.Point;
const order = Fn.ORDER;
const scalar = (value: bigint) => fromHex(value.toString(16).padStart(64, '0'));
const open = (keys: CurveKeys, secretKey: Uint8Array) => keys.open(new Secret(secretKey.slice()), keys.publicKey(secretKey));
const flip = (bytes: Uint8Array, bit: number) => bytes.map((byte, i) => (i === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));

describe('P-256', () => {
  test.each(rfc6979.filter(({ curve }) => curve === 'CURVE_P256'))('RFC 6979 A.2.5: $message', ({ secretKey, message, r, s }) => {
    const request = { kind: 'ecdsa', digest: createHash('sha256').update(message).digest() } as const;
    const signer = open(p256Keys, fromHex(secretKey));
    const signature = signer.sign(request);
    expect(toHex(signature.bytes)).toBe(r + s);
    expect(signer.verify(request, signature)).toBe(true);
  });

  test('signatures have a low s, recover their key and pass the check; noble agrees', () => {
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
    // The edges of both ranges: digests are taken modulo the order.
    const edge = fc.constantFrom(0n, 1n, order - 1n, order, order + 1n, 2n ** 256n - 1n).map(scalar);
    const keys = fc.oneof(bytes, edge).filter(p256Keys.isPrivateKey);
    fc.assert(
      fc.property(keys, fc.oneof(bytes, edge), (secretKey, digest) => {
        const publicKey = p256Keys.publicKey(secretKey);
        expect(toHex(publicKey)).toBe(toHex(p256.getPublicKey(secretKey, true)));
        const signer = open(p256Keys, secretKey);
        const signature = signer.sign({ kind: 'ecdsa', digest });
        const byNoble = p256.sign(digest, secretKey, { prehash: false, lowS: true, format: 'recovered' });
        expect(toHex(Uint8Array.of(signature.recovery, ...signature.bytes))).toBe(toHex(byNoble));
        expect(p256.Signature.fromBytes(signature.bytes).hasHighS()).toBe(false);
        const recovered = p256.recoverPublicKey(Uint8Array.of(signature.recovery, ...signature.bytes), digest, {
          prehash: false,
        });
        expect(toHex(recovered)).toBe(toHex(publicKey));
        expect(signer.verify({ kind: 'ecdsa', digest }, signature)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  test('the check detects any wrong bit, including the recovery bit, and a high s', () => {
    const signer = open(p256Keys, fromHex('11'.repeat(32)));
    const request = { kind: 'ecdsa', digest: fromHex('22'.repeat(32)) } as const;
    const { bytes, recovery } = signer.sign(request);
    const other = (1 - recovery) as 0 | 1;
    for (let bit = 0; bit < 512; bit += 7) expect(signer.verify(request, { bytes: flip(bytes, bit), recovery })).toBe(false);
    expect(signer.verify(request, { bytes, recovery: other })).toBe(false);
    const high = scalar(order - BigInt(`0x${toHex(bytes.subarray(32))}`));
    expect(signer.verify(request, { bytes: Uint8Array.of(...bytes.subarray(0, 32), ...high), recovery: other })).toBe(false);
    for (const zero of [0, 32])
      expect(signer.verify(request, { bytes: bytes.slice().fill(0, zero, zero + 32), recovery })).toBe(false);
    expect(signer.verify({ kind: 'ecdsa', digest: fromHex('23'.repeat(32)) }, { bytes, recovery })).toBe(false);
  });

  test('the check detects a public key of another private key', () => {
    const signer = p256Keys.open(new Secret(scalar(5n)), p256Keys.publicKey(scalar(6n)));
    const request = { kind: 'ecdsa', digest: fromHex('22'.repeat(32)) } as const;
    expect(signer.verify(request, signer.sign(request))).toBe(false);
  });

  test('private keys are from 1 to n - 1', () => {
    for (const value of [0n, order, order + 1n, 2n ** 256n - 1n]) expect(p256Keys.isPrivateKey(scalar(value))).toBe(false);
    for (const value of [1n, order - 1n]) expect(p256Keys.isPrivateKey(scalar(value))).toBe(true);
    expect(p256Keys.isPrivateKey(new Uint8Array(31).fill(1))).toBe(false);
  });

  test('key material is added modulo the order', () => {
    const near = fc.oneof(fc.bigInt(0n, 3n), fc.bigInt(order - 3n, order + 3n), fc.bigInt(0n, 2n ** 256n - 1n));
    fc.assert(
      fc.property(near, near, (parent, material) => {
        fc.pre(parent > 0n && parent < order);
        const key = scalar(parent);
        const sum = (parent + material) % order;
        const valid = material < order && sum !== 0n;
        expect(p256Keys.addMaterial(key, scalar(material))).toBe(valid);
        if (valid) expect(toHex(key)).toBe(toHex(scalar(sum)));
      }),
      { numRuns: 1000 },
    );
  });

  test('requests that a P-256 key does not support are refused', () => {
    const signer = open(p256Keys, scalar(9n));
    const digest = new Uint8Array(32);
    expect(() => signer.sign({ kind: 'schnorr', digest })).toThrow(TypeError);
    expect(() => signer.sign({ kind: 'ecdsa', digest: new Uint8Array(20) })).toThrow(TypeError);
    expect(signer.verify({ kind: 'schnorr', digest }, { bytes: new Uint8Array(64), recovery: 0 })).toBe(false);
  });

  test('a wiped key cannot sign', () => {
    const signer = open(p256Keys, scalar(9n));
    signer.wipe();
    expect(() => signer.sign({ kind: 'ecdsa', digest: new Uint8Array(32) })).toThrow('wiped');
  });
});

describe('Ed25519', () => {
  test.each(rfc8032)('RFC 8032 7.1: message "$message"', ({ secretKey, publicKey, message, signature }) => {
    expect(toHex(ed25519Keys.publicKey(fromHex(secretKey)))).toBe(publicKey);
    const signer = open(ed25519Keys, fromHex(secretKey));
    const request = { kind: 'ed25519', message: fromHex(message) } as const;
    const made = signer.sign(request);
    expect({ bytes: toHex(made.bytes), recovery: made.recovery }).toEqual({ bytes: signature, recovery: 0 });
    expect(signer.verify(request, made)).toBe(true);
    for (let bit = 0; bit < 512; bit += 11)
      expect(signer.verify(request, { bytes: flip(made.bytes, bit), recovery: 0 })).toBe(false);
  });

  test('the private bytes are wiped once the key object exists, and a wiped key cannot sign', () => {
    const secret = new Secret(fromHex('44'.repeat(32)));
    const bytes = secret.bytes;
    const signer = ed25519Keys.open(secret, ed25519Keys.publicKey(bytes));
    expect(toHex(bytes)).toBe('00'.repeat(32));
    signer.wipe();
    expect(() => signer.sign({ kind: 'ed25519', message: new Uint8Array(1) })).toThrow('wiped');
  });

  test('requests that an ed25519 key does not support are refused', () => {
    const signer = open(ed25519Keys, fromHex('44'.repeat(32)));
    expect(() => signer.sign({ kind: 'ecdsa', digest: new Uint8Array(32) })).toThrow(TypeError);
    expect(signer.verify({ kind: 'ecdsa', digest: new Uint8Array(32) }, { bytes: new Uint8Array(64), recovery: 0 })).toBe(false);
  });
});

describe('key generation', () => {
  test('draws bytes until they are a key of the curve', () => {
    const draws: string[] = [];
    const fussy: CurveKeys = {
      ...p256Keys,
      isPrivateKey(key) {
        draws.push(toHex(key));
        return draws.length === 4;
      },
    };
    const key = generatePrivateKey(fussy);
    expect(new Set(draws).size).toBe(4);
    expect(toHex(key)).toBe(draws[3]);
  });
});

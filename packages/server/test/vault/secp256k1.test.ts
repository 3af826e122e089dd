import { createHash, randomBytes } from 'node:crypto';
import { secp256k1 as noble, schnorr } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { secp256k1Keys } from '../../src/vault/curves/secp256k1.ts';
import { Secret } from '../../src/vault/keys/secret.ts';
import { javascriptSecp256k1 } from '../../src/vault/secp256k1/javascript.ts';
import { loadSecp256k1, selfTest } from '../../src/vault/secp256k1/load.ts';
import { loadNativeSecp256k1 } from '../../src/vault/secp256k1/native.ts';
import type { Secp256k1 } from '../../src/vault/secp256k1/secp256k1.ts';
import { loadWasmSecp256k1 } from '../../src/vault/secp256k1/wasm.ts';
import { fromHex, readJson, toHex } from './support.ts';

interface Bip340Vector {
  readonly name: string;
  readonly secretKey?: string;
  readonly publicKey: string;
  readonly auxiliary?: string;
  readonly digest: string;
  readonly signature: string;
  readonly valid: boolean;
}

const native = loadNativeSecp256k1();
const wasm = loadWasmSecp256k1();
const engines: readonly Secp256k1[] = [native, wasm, javascriptSecp256k1];
const bip340 = await readJson<Bip340Vector[]>('vectors/bip340.json');
const bip341 =
  await readJson<Record<'secretKey' | 'merkleRoot' | 'tweakedPublicKey' | 'digest' | 'signature', string>[]>(
    'vectors/bip341.json',
  );
const rfc6979 =
  await readJson<{ curve: string; secretKey: string; message: string; r: string; s: string }[]>('vectors/rfc6979.json');

const secretKeys = fc.uint8Array({ minLength: 32, maxLength: 32 }).filter((key) => noble.utils.isValidSecretKey(key));
const digests = fc.uint8Array({ minLength: 32, maxLength: 32 });
const evenKey = (xOnly: string) => fromHex(`02${xOnly}`);
const order = noble.Point.Fn.ORDER;
const scalar = (value: bigint) => fromHex(value.toString(16).padStart(64, '0'));

describe.each(engines)('secp256k1 with the $engine engine', (k1) => {
  test.each(rfc6979.filter(({ curve }) => curve === 'CURVE_SECP256K1'))(
    'RFC 6979: $message with $secretKey',
    ({ secretKey, message, r, s }) => {
      const digest = createHash('sha256').update(message).digest();
      const signature = k1.signEcdsa(digest, fromHex(secretKey));
      expect(toHex(signature.bytes)).toBe(r + s);
      expect(k1.verifyEcdsa(signature, digest, k1.publicKey(fromHex(secretKey)))).toBe(true);
    },
  );

  test.each(bip340)('BIP-340: $name', ({ secretKey, publicKey, auxiliary, digest, signature, valid }) => {
    expect(k1.verifySchnorr(fromHex(signature), fromHex(digest), evenKey(publicKey))).toBe(valid);
    if (secretKey === undefined || auxiliary === undefined) return;
    expect(toHex(k1.publicKey(fromHex(secretKey)).subarray(1))).toBe(publicKey);
    expect(toHex(k1.signSchnorr(fromHex(digest), fromHex(secretKey), fromHex(auxiliary)))).toBe(signature);
  });

  test.each(bip341)('BIP-341: key path with merkle root "$merkleRoot"', (vector) => {
    const publicKey = k1.publicKey(fromHex(vector.secretKey));
    const signer = secp256k1Keys(k1).open(new Secret(fromHex(vector.secretKey)), publicKey);
    const request = { kind: 'schnorr', digest: fromHex(vector.digest), tapTweak: fromHex(vector.merkleRoot) } as const;
    expect(signer.verify(request, { bytes: fromHex(vector.signature), recovery: 0 })).toBe(true);
    const { bytes } = signer.sign(request);
    expect(schnorr.verify(bytes, request.digest, fromHex(vector.tweakedPublicKey))).toBe(true);
    expect(signer.verify({ kind: 'schnorr', digest: request.digest }, { bytes, recovery: 0 })).toBe(false);
  });

  test('any wrong bit in an ECDSA signature, including its recovery bit, is detected', () => {
    const [secret, digest] = [fromHex('11'.repeat(32)), fromHex('22'.repeat(32))];
    const publicKey = k1.publicKey(secret);
    const { bytes, recovery } = k1.signEcdsa(digest, secret);
    expect(k1.verifyEcdsa({ bytes, recovery: recovery === 0 ? 1 : 0 }, digest, publicKey)).toBe(false);
    expect(k1.verifyEcdsa({ bytes, recovery: 2 as 0 }, digest, publicKey)).toBe(false);
    for (let bit = 0; bit < 512; bit += k1 === native ? 1 : 61) {
      const flipped = bytes.map((byte, i) => (i === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
      expect(k1.verifyEcdsa({ bytes: flipped, recovery }, digest, publicKey)).toBe(false);
    }
  });

  test('a valid signature with a high s is refused', () => {
    const [secret, digest] = [fromHex('11'.repeat(32)), fromHex('33'.repeat(32))];
    const { bytes, recovery } = k1.signEcdsa(digest, secret);
    const high = scalar(order - BigInt(`0x${toHex(bytes.subarray(32))}`));
    const twin = { bytes: Uint8Array.of(...bytes.subarray(0, 32), ...high), recovery: (1 - recovery) as 0 | 1 };
    expect(noble.verify(twin.bytes, digest, k1.publicKey(secret), { prehash: false, lowS: false })).toBe(true);
    expect(k1.verifyEcdsa(twin, digest, k1.publicKey(secret))).toBe(false);
  });

  test('private keys are from 1 to n - 1', () => {
    for (const value of [0n, order, order + 1n]) expect(k1.isPrivateKey(scalar(value))).toBe(false);
    for (const value of [1n, order - 1n]) expect(k1.isPrivateKey(scalar(value))).toBe(true);
    expect(k1.isPrivateKey(new Uint8Array(31).fill(1))).toBe(false);
  });

  test('adding to a private key refuses a tweak of n, and a sum of zero', () => {
    expect(k1.addToPrivateKey(scalar(1n), scalar(order))).toBe(false);
    expect(k1.addToPrivateKey(scalar(1n), scalar(order - 1n))).toBe(false);
    const key = scalar(order - 1n);
    expect(k1.addToPrivateKey(key, scalar(5n))).toBe(true);
    expect(toHex(key)).toBe(toHex(scalar(4n)));
  });

  test('requests that a secp256k1 key does not support are refused', () => {
    const signer = secp256k1Keys(k1).open(new Secret(scalar(7n)), k1.publicKey(scalar(7n)));
    const digest = new Uint8Array(32);
    const refused = [
      { kind: 'ed25519', message: digest },
      { kind: 'ecdsa', digest: new Uint8Array(31) },
      { kind: 'schnorr', digest: new Uint8Array(33) },
      { kind: 'schnorr', digest, tapTweak: new Uint8Array(20) },
    ] as const;
    for (const request of refused) expect(() => signer.sign(request)).toThrow(TypeError);
    expect(signer.verify({ kind: 'ed25519', message: digest }, { bytes: new Uint8Array(64), recovery: 0 })).toBe(false);
  });
});

describe('the engines', () => {
  test('sign digests at every edge of the order with the same bytes', () => {
    for (const digest of [0n, 1n, order - 1n, order, order + 1n, (1n << 256n) - 1n].map(scalar))
      for (const key of [1n, 7n, order - 1n].map(scalar)) {
        const signature = javascriptSecp256k1.signEcdsa(digest, key);
        for (const k1 of [native, wasm, loadSecp256k1().k1]) {
          expect({ ...k1.signEcdsa(digest, key) }).toEqual(signature);
          expect(k1.verifyEcdsa(signature, digest, k1.publicKey(key))).toBe(true);
        }
      }
  });

  test.each([native, wasm])('$engine gives the same bytes as JavaScript for all operations', (k1) => {
    const js = javascriptSecp256k1;
    fc.assert(
      fc.property(secretKeys, secretKeys, digests, digests, (key, tweak, digest, auxiliary) => {
        expect(toHex(k1.publicKey(key))).toBe(toHex(js.publicKey(key)));
        expect({ ...k1.signEcdsa(digest, key) }).toEqual(js.signEcdsa(digest, key));
        expect(toHex(k1.signSchnorr(digest, key, auxiliary))).toBe(toHex(js.signSchnorr(digest, key, auxiliary)));
        const publicKey = js.publicKey(key);
        expect(toHex(k1.addToPublicKey(publicKey, tweak))).toBe(toHex(js.addToPublicKey(publicKey, tweak)));
        const [a, b] = [key.slice(), key.slice()];
        expect(k1.addToPrivateKey(a, tweak)).toBe(js.addToPrivateKey(b, tweak));
        k1.negatePrivateKey(a);
        js.negatePrivateKey(b);
        expect(toHex(a)).toBe(toHex(b));
      }),
      { numRuns: 40 },
    );
  });

  test('a tweak of zero changes nothing', () => {
    for (const k1 of engines) {
      const key = scalar(7n);
      expect(k1.addToPrivateKey(key, scalar(0n))).toBe(true);
      expect(toHex(key)).toBe(toHex(scalar(7n)));
      expect(toHex(k1.addToPublicKey(k1.publicKey(key), scalar(0n)))).toBe(toHex(k1.publicKey(key)));
      expect(() => k1.addToPublicKey(k1.publicKey(scalar(1n)), scalar(order - 1n))).toThrow();
    }
  });
});

describe('loading', () => {
  test('the native engine is in use here, and it is the addon', () => {
    const loaded = loadSecp256k1();
    expect(loaded).toMatchObject({ k1: { engine: 'native' } });
    expect(['package', 'system']).toContain(loaded.signer);
    expect(loaded).not.toHaveProperty('warning');
  });

  test('the JavaScript engine can be forced and says so', () => {
    expect(loadSecp256k1('javascript')).toMatchObject({
      k1: { engine: 'javascript' },
      signer: 'javascript',
      warning: expect.stringContaining('slower'),
    });
  });

  const absent = () => {
    throw new Error('No native build was found\n  for this platform');
  };

  test('without the addon, or if it fails its self-test, WebAssembly is used', () => {
    const broken = () => ({ ...native, publicKey: () => new Uint8Array(33) });
    for (const missing of [absent, broken]) {
      const loaded = loadSecp256k1(undefined, { native: missing });
      expect(loaded).toMatchObject({ k1: { engine: 'wasm' } });
      expect(loaded).not.toHaveProperty('warning');
    }
    expect(loadSecp256k1('wasm')).toMatchObject({ k1: { engine: 'wasm' }, signer: 'wasm' });
    expect(() => loadSecp256k1('native', { native: absent })).toThrow('No native build');
  });

  test('without WebAssembly too, the JavaScript engine is used and the reasons are reported', () => {
    const broken = () => ({ ...wasm, verifyEcdsa: () => true });
    expect(loadSecp256k1(undefined, { native: absent, wasm: broken })).toEqual({
      k1: javascriptSecp256k1,
      signer: 'javascript',
      warning: expect.stringMatching(
        /^libsecp256k1 is not in use \(native: No native build was found; wasm: .*self-test\): signatures are the same, but slower/,
      ),
    });
  });

  test('an engine with other nonces, wrong signatures or a lax check fails the self-test', () => {
    const hedged = (digest: Uint8Array, key: Uint8Array) => {
      const signature = noble.sign(digest, key, { prehash: false, format: 'recovered', extraEntropy: randomBytes(32) });
      return { bytes: signature.slice(1), recovery: signature[0] as 0 | 1 };
    };
    const faults: Partial<Secp256k1>[] = [
      { signEcdsa: hedged },
      { verifyEcdsa: () => true },
      { verifyEcdsa: () => false },
      { publicKey: () => new Uint8Array(33) },
    ];
    for (const fault of faults) expect(() => selfTest({ ...native, ...fault })).toThrow('self-test');
    expect(() => selfTest(native)).not.toThrow();
  });
});

describe('WebAssembly', () => {
  test('D506: keys and signatures that it refuses do not use up its stack', () => {
    const key = scalar(7n);
    const publicKey = wasm.publicKey(key);
    // No point has this x.
    const bad = fromHex(`02${'05'.repeat(32)}`);
    const signature = { bytes: Uint8Array.of(...bad.subarray(1), ...scalar(1n)), recovery: 0 } as const;
    for (let i = 0; i < 20_000; i++) {
      expect(() => wasm.addToPublicKey(bad, key)).toThrow(TypeError);
      expect(wasm.verifySchnorr(signature.bytes, key, bad)).toBe(false);
      expect(wasm.verifyEcdsa(signature, key, publicKey)).toBe(false);
    }
    expect(toHex(wasm.publicKey(key))).toBe(toHex(publicKey));
    expect(() => selfTest(wasm)).not.toThrow();
  });
});

describe('nonces', () => {
  test('D64: nonces never repeat over different messages and keys, and depend on nothing else', () => {
    const keys = [fromHex('11'.repeat(32)), fromHex('12'.repeat(32))];
    const seen = new Set<string>();
    for (let i = 0; i < 1000; i++) {
      const digest = createHash('sha256').update(`message ${i}`).digest();
      for (const key of keys) {
        const { bytes } = native.signEcdsa(digest, key);
        expect(toHex(native.signEcdsa(digest, key).bytes)).toBe(toHex(bytes));
        seen.add(toHex(bytes.subarray(0, 32)));
      }
    }
    expect(seen.size).toBe(2000);
  });
});

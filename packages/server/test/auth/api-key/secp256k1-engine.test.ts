import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  loadWasm,
  nativeSecp256k1,
  portableSecp256k1,
  type Secp256k1Engine,
  secp256k1Engine,
} from '../../../src/auth/api-key/secp256k1-engine.ts';

const wasm = loadWasm() as Secp256k1Engine;
const engines = [portableSecp256k1, wasm, ...(nativeSecp256k1 ? [nativeSecp256k1] : [])];
const { Fn } = secp256k1.Point;

describe.each(engines.map((engine) => [engine.name, engine] as const))('%s', (_, engine) => {
  test('high and low s verify, and the given signature is not modified', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.nat(63), (digest, position) => {
        const { secretKey, publicKey } = secp256k1.keygen();
        const key = engine.prepare(publicKey);
        const low = secp256k1.sign(digest, secretKey, { prehash: false });
        const high = Uint8Array.from([...low.subarray(0, 32), ...Fn.toBytes(Fn.neg(Fn.fromBytes(low.subarray(32))))]);
        const before = Uint8Array.from(high);
        expect(engine.verify(low, digest, key)).toBe(true);
        expect(engine.verify(high, digest, key)).toBe(true);
        expect(high).toEqual(before);

        const wrong = Uint8Array.from(digest);
        wrong[position % 32] = (wrong[position % 32] as number) ^ 1;
        expect(engine.verify(low, wrong, key)).toBe(false);
        const bent = Uint8Array.from(low);
        bent[position] = (bent[position] as number) ^ 1;
        expect(engine.verify(bent, digest, key)).toBe(false);
      }),
      { numRuns: 20 },
    );
  });

  test('a tweaked public key is that of the tweaked private key', () => {
    const scalar = fc.bigInt(1n, Fn.ORDER - 1n);
    fc.assert(
      fc.property(scalar, scalar, (secret, tweak) => {
        fc.pre(Fn.add(secret, tweak) !== 0n);
        const tweaked = engine.tweakPublicKey(secp256k1.getPublicKey(Fn.toBytes(secret), true), Fn.toBytes(tweak));
        expect(tweaked).toEqual(secp256k1.getPublicKey(Fn.toBytes(Fn.add(secret, tweak)), true));
      }),
      { numRuns: 20 },
    );
    const key = secp256k1.getPublicKey(Fn.toBytes(5n), true);
    expect(() => engine.tweakPublicKey(key, new Uint8Array(32).fill(0xff))).toThrow();
  });
});

describe('recovering the key of a signature', () => {
  test.each(engines.map((engine) => [engine.name, engine] as const))('%s finds the key that signed', (_, engine) => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (digest) => {
        const { secretKey, publicKey } = secp256k1.keygen();
        const [recovery, ...signature] = secp256k1.sign(digest, secretKey, { prehash: false, format: 'recovered' });
        const recovered = engine.recover(Uint8Array.from(signature), digest, recovery as 0 | 1);
        expect(recovered && Buffer.from(recovered)).toEqual(Buffer.from(secp256k1.Point.fromBytes(publicKey).toBytes(false)));
      }),
      { numRuns: 20 },
    );
  });

  test('D36: the engines agree on random signatures, also where no key made them', () => {
    const scalar = fc.bigInt({ min: 1n, max: Fn.ORDER - 1n });
    const digests = fc.uint8Array({ minLength: 32, maxLength: 32 });
    let none = 0;
    fc.assert(
      fc.property(digests, scalar, scalar, fc.constantFrom(0, 1), (digest, r, s, recovery) => {
        const signature = Uint8Array.from([...Fn.toBytes(r), ...Fn.toBytes(s)]);
        const [first, ...others] = engines.map((engine) => engine.recover(signature, digest, recovery as 0 | 1));
        if (first === undefined) none++;
        for (const other of others) expect(other && Buffer.from(other)).toEqual(first && Buffer.from(first));
      }),
      { numRuns: 40 },
    );
    // Half of all r are the x of no point.
    expect(none).toBeGreaterThan(0);
  });
});

test('D506: keys that WebAssembly refuses do not use up its stack', () => {
  const key = secp256k1.getPublicKey(Fn.toBytes(7n), true);
  // No point has this x.
  const bad = Uint8Array.of(2, ...new Array(32).fill(5));
  for (let i = 0; i < 20_000; i++) {
    expect(() => wasm.prepare(bad)).toThrow(TypeError);
    expect(() => wasm.tweakPublicKey(bad, Fn.toBytes(1n))).toThrow(TypeError);
  }
  expect(wasm.prepare(key)).toEqual(portableSecp256k1.prepare(key));
});

test('the native engine is used if it loads, and otherwise WebAssembly', () => {
  expect(secp256k1Engine.name).toBe(nativeSecp256k1 ? 'native' : 'wasm');
});

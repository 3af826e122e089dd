import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nativeSecp256k1, portableSecp256k1, secp256k1Engine } from '../../src/auth/secp256k1-engine.ts';

const engines = [portableSecp256k1, ...(nativeSecp256k1 ? [nativeSecp256k1] : [])];
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
});

test('the native engine is used if it loads', () => {
  expect(secp256k1Engine).toBe(nativeSecp256k1 ?? portableSecp256k1);
});

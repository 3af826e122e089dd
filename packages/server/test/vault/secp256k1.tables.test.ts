import { randomBytes } from 'node:crypto';
import { loadAddon, loadSystemSigner, type SystemSigner } from '@countersign/native';
import { secp256k1 as noble } from '@noble/curves/secp256k1.js';
import { describe, expect, test } from 'vitest';
import { secp256k1Keys } from '../../src/vault/curves/secp256k1.ts';
import { Secret } from '../../src/vault/keys/secret.ts';
import { selfTest } from '../../src/vault/secp256k1/load.ts';
import { loadNativeSecp256k1, withSystemSigner, withTables } from '../../src/vault/secp256k1/native.ts';

const { addon } = loadAddon({});
const plain = loadNativeSecp256k1();

describe.skipIf(addon === undefined)('an engine with tables', () => {
  const k1 = addon === undefined ? plain : withTables(plain, addon);
  const secret = randomBytes(32);
  const publicKey = plain.publicKey(secret);
  const open = () => [k1, plain].map((engine) => secp256k1Keys(engine).open(new Secret(Uint8Array.from(secret)), publicKey));

  test('gives the same answers as the plain engine, before and after a key gets its table', () => {
    const [signer, reference] = open();
    for (let use = 0; use < 100; use++) {
      const requests = Array.from({ length: 3 }, () => ({ kind: 'ecdsa', digest: randomBytes(32) }) as const);
      const signatures = requests.flatMap((request) => signer?.sign(request) ?? []);
      expect(signatures.map(({ bytes, recovery }) => [...bytes, recovery])).toEqual(
        requests.map((request) => {
          const { bytes, recovery } = reference?.sign(request) ?? { bytes: [], recovery: 0 };
          return [...bytes, recovery];
        }),
      );
      expect(signer?.verifyAll?.(requests, signatures)).toBe(true);
      expect(signer?.verifyAll?.(requests.toReversed(), signatures)).toBe(false);
      expect(signer?.verifyAll?.(requests, signatures.slice(1))).toBe(false);
    }
    signer?.wipe();
  });

  test('handles other requests like the plain engine', () => {
    const [signer, reference] = open();
    const digest = randomBytes(32);
    const schnorr = { kind: 'schnorr', digest } as const;
    const signature = signer?.sign(schnorr);
    expect(signature && reference?.verify(schnorr, signature)).toBe(true);
    expect(signature && signer?.verifyAll?.([schnorr], [signature])).toBe(true);
    for (const length of [0, 31, 33, 64]) {
      const request = { kind: 'ecdsa', digest: new Uint8Array(length) } as const;
      expect(() => signer?.sign(request)).toThrow(TypeError);
      expect(signer?.verifyAll?.([request], [{ bytes: new Uint8Array(64), recovery: 0 }])).toBe(false);
    }
  });

  test('D150: does not sign with a wiped key', () => {
    const [signer] = open();
    signer?.wipe();
    expect(() => signer?.sign({ kind: 'ecdsa', digest: randomBytes(32) })).toThrow();
  });

  test('D153: an addon that accepts or rejects every signature fails the self-test', () => {
    if (addon === undefined) return;
    const lax = { ...addon, secp256k1Checker: () => () => true };
    const laxWithTable = {
      ...addon,
      secp256k1Checker: (key: Uint8Array, table: boolean) => (table ? () => true : addon.secp256k1Checker(key, table)),
    };
    const strict = { ...addon, secp256k1Checker: () => () => false };
    for (const wrong of [lax, laxWithTable, strict]) expect(() => selfTest(withTables(plain, wrong))).toThrow('self-test');
    expect(() => selfTest(withTables(plain, addon))).not.toThrow();
  });
});

describe('an engine with the signer of the system', () => {
  const hedged: SystemSigner = {
    secp256k1Randomize: () => true,
    secp256k1Sign(digest, key, out) {
      const signature = noble.sign(digest, key, { prehash: false, format: 'recovered', extraEntropy: randomBytes(32) });
      out.set(Buffer.concat([signature.subarray(1), signature.subarray(0, 1)]));
      return true;
    },
  };

  test('D153: a signer with random nonces or without a signature fails the self-test', () => {
    for (const wrong of [hedged, { ...hedged, secp256k1Sign: () => true }, { ...hedged, secp256k1Sign: () => false }])
      expect(() => selfTest(withSystemSigner(plain, wrong))).toThrow();
  });

  const system = loadSystemSigner({});
  test.skipIf(system === undefined)('D64: returns the bytes of the plain engine and passes the self-test', () => {
    const k1 = withSystemSigner(plain, system as SystemSigner);
    expect(() => selfTest(k1)).not.toThrow();
    for (let i = 0; i < 100; i++) {
      const [digest, key] = [randomBytes(32), randomBytes(32)];
      expect({ ...k1.signEcdsa(digest, key) }).toEqual({ ...plain.signEcdsa(digest, key) });
    }
    expect(() => k1.signEcdsa(randomBytes(32), new Uint8Array(32))).toThrow('private key is invalid');
  });
});

import { randomBytes } from 'node:crypto';
import { loadAddon } from '@countersign/native';
import { secp256k1 as noble } from '@noble/curves/secp256k1.js';
import { describe, expect, test } from 'vitest';
import { secp256k1Keys } from '../../src/vault/curves/secp256k1.ts';
import { selfTest } from '../../src/vault/secp256k1/load.ts';
import { loadNativeSecp256k1 } from '../../src/vault/secp256k1/native.ts';
import { withTables } from '../../src/vault/secp256k1/tables.ts';
import { Secret } from '../../src/vault/secret.ts';

const { addon } = loadAddon({});
const plain = loadNativeSecp256k1();

describe.skipIf(addon === undefined)('an engine with tables', () => {
  const k1 = addon === undefined ? plain : withTables(plain, addon);
  const secret = randomBytes(32);
  const publicKey = plain.publicKey(secret);
  const open = () => [k1, plain].map((engine) => secp256k1Keys(engine).open(new Secret(Uint8Array.from(secret)), publicKey));

  test('gives the bytes and answers of the engine without, before and after a key gets its table', () => {
    const [signer, reference] = open();
    for (let use = 0; use < 100; use++) {
      const requests = Array.from({ length: 3 }, () => ({ kind: 'ecdsa', digest: randomBytes(32) }) as const);
      const signatures = signer?.signAll?.(requests) ?? [];
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

  test('requests of other kinds and lengths go the same way as without tables', () => {
    const [signer, reference] = open();
    const digest = randomBytes(32);
    const schnorr = { kind: 'schnorr', digest } as const;
    const [signature] = signer?.signAll?.([schnorr]) ?? [];
    expect(signature && reference?.verify(schnorr, signature)).toBe(true);
    expect(signature && signer?.verifyAll?.([schnorr], [signature])).toBe(true);
    for (const length of [0, 31, 33, 64]) {
      const request = { kind: 'ecdsa', digest: new Uint8Array(length) } as const;
      expect(() => signer?.sign(request)).toThrow(TypeError);
      expect(() => signer?.signAll?.([{ kind: 'ecdsa', digest }, request])).toThrow(TypeError);
    }
  });

  test('D150: a key that was overwritten signs nothing', () => {
    const [signer] = open();
    signer?.wipe();
    expect(() => signer?.sign({ kind: 'ecdsa', digest: randomBytes(32) })).toThrow();
  });

  test('D153: an addon with other bytes, or with a check that is too kind or too strict, fails the self-test', () => {
    if (addon === undefined) return;
    const lax = { ...addon, secp256k1Checker: () => () => true };
    const laxWithTable = {
      ...addon,
      secp256k1Checker: (key: Uint8Array, table: boolean) => (table ? () => true : addon.secp256k1Checker(key, table)),
    };
    const strict = { ...addon, secp256k1Checker: () => () => false };
    const hedged = {
      ...addon,
      secp256k1Sign(digests: Uint8Array, key: Uint8Array, out: Uint8Array) {
        const signature = noble.sign(digests.subarray(0, 32), key, {
          prehash: false,
          format: 'recovered',
          extraEntropy: randomBytes(32),
        });
        out.set(signature.subarray(1));
        return true;
      },
    };
    for (const wrong of [lax, laxWithTable, strict, hedged])
      expect(() => selfTest(withTables(plain, wrong))).toThrow('self-test');
    expect(() => selfTest(withTables(plain, addon))).not.toThrow();
  });
});

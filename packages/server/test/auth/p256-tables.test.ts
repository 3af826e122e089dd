import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign, verify } from 'node:crypto';
import { loadAddon, type VerifyMessage } from '@countersign/native';
import { describe, expect, test } from 'vitest';
import { groupOrders, readDerSignature } from '../../src/auth/der-signature.ts';
import { createP256Check, type P256Check } from '../../src/auth/p256-tables.ts';

const SPKI = Buffer.from('3039301306072a8648ce3d020106082a8648ce3d030107032200', 'hex');
const { addon } = loadAddon({});

function newKey(): { privateKey: KeyObject; point: Uint8Array; plain: P256Check } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y } = publicKey.export({ format: 'jwk' }) as { x: string; y: string };
  const odd = (Buffer.from(y, 'base64url').at(-1) as number) & 1;
  const point = Buffer.concat([Buffer.of(2 + odd), Buffer.from(x, 'base64url')]);
  const key = createPublicKey({ key: Buffer.concat([SPKI, point]), format: 'der', type: 'spki' });
  return { privateKey, point, plain: (message, signature) => verify('sha256', message, key, signature) };
}

function signed(privateKey: KeyObject) {
  const message = randomBytes(40);
  const signature = sign('sha256', message, privateKey);
  return { message, signature, compact: readDerSignature(signature, groupOrders.P256) as Uint8Array };
}

/** Uses a key until it has a table, which another thread makes. */
async function warm(check: P256Check, privateKey: KeyObject, isWarm: () => boolean): Promise<void> {
  const { message, signature, compact } = signed(privateKey);
  while (!isWarm()) {
    expect(check(message, signature, compact)).toBe(true);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe.skipIf(addon === undefined)('a P-256 key that is used often', () => {
  test('is checked with its table, with the same answers', async () => {
    const { privateKey, point, plain } = newKey();
    let plainChecks = 0;
    let tableChecks = 0;
    const make = createP256Check(async (key) => {
      const verifies = (await addon?.p256Verifier(key)) as VerifyMessage;
      return (message, signature) => {
        tableChecks++;
        return verifies(message, signature);
      };
    });
    const check = make(point, (...all) => {
      plainChecks++;
      return plain(...all);
    });
    // The self-test of the decoy takes two.
    await warm(check, privateKey, () => tableChecks > 2);
    plainChecks = 0;
    for (let i = 0; i < 50; i++) {
      const { message, signature, compact } = signed(privateKey);
      expect(check(message, signature, compact)).toBe(true);
    }
    expect(plainChecks).toBe(0);
    for (let i = 0; i < 50; i++) {
      const { signature, compact } = signed(privateKey);
      expect(check(randomBytes(4), signature, compact)).toBe(false);
    }
  });

  test('D154: a refusal takes one check with a table and one without, whatever the key', async () => {
    const counts = { plain: 0, table: 0 };
    const make = createP256Check(async (key) => {
      const verifies = (await addon?.p256Verifier(key)) as VerifyMessage;
      return (message, signature) => {
        counts.table++;
        return verifies(message, signature);
      };
    });
    const counted =
      (plain: P256Check): P256Check =>
      (...all) => {
        counts.plain++;
        return plain(...all);
      };
    const [often, fresh] = [newKey(), newKey()];
    const [oftenCheck, freshCheck] = [make(often.point, counted(often.plain)), make(fresh.point, counted(fresh.plain))];
    await warm(oftenCheck, often.privateKey, () => counts.table > 2);
    for (const [check, { privateKey }] of [
      [oftenCheck, often],
      [freshCheck, fresh],
    ] as const) {
      const { signature, compact } = signed(privateKey);
      counts.plain = 0;
      counts.table = 0;
      expect(check(randomBytes(7), signature, compact)).toBe(false);
      expect(counts).toEqual({ plain: 1, table: 1 });
    }
  });

  test('D153: an addon that gives a wrong answer gets no key', async () => {
    for (const answer of [true, false]) {
      const { privateKey, point, plain } = newKey();
      const made: Uint8Array[] = [];
      const make = createP256Check(async (key) => {
        made.push(key);
        return () => answer;
      });
      const check = make(point, plain);
      const { message, signature, compact } = signed(privateKey);
      for (let i = 0; i < 200; i++) {
        expect(check(message, signature, compact)).toBe(true);
        if (i % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      expect(check(randomBytes(3), signature, compact)).toBe(false);
      expect(made).toHaveLength(1);
    }
  });
});

test('without the addon, the check is the plain one', () => {
  const { point, plain } = newKey();
  expect(createP256Check(undefined)(point, plain)).toBe(plain);
});

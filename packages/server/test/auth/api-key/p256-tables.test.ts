import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign, verify } from 'node:crypto';
import { loadAddon, type VerifyMessage } from '@countersign/native';
import { p256 } from '@noble/curves/nist.js';
import { describe, expect, test } from 'vitest';
import { createP256Check, type P256Check } from '../../../src/auth/api-key/p256-tables.ts';
import { groupOrders, readDerSignature } from '../../../src/auth/api-key/schemes.ts';

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
        if (key === point) tableChecks++;
        return verifies(message, signature);
      };
    });
    const check = make(point, (...all) => {
      plainChecks++;
      return plain(...all);
    });
    await warm(check, privateKey, () => tableChecks > 0);
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
    const [often, fresh] = [newKey(), newKey()];
    let lastTable: Uint8Array | undefined;
    const make = createP256Check(async (key) => {
      const verifies = (await addon?.p256Verifier(key)) as VerifyMessage;
      return (message, signature) => {
        counts.table++;
        lastTable = key;
        return verifies(message, signature);
      };
    });
    const counted =
      (plain: P256Check): P256Check =>
      (...all) => {
        counts.plain++;
        return plain(...all);
      };
    const [oftenCheck, freshCheck] = [make(often.point, counted(often.plain)), make(fresh.point, counted(fresh.plain))];
    await warm(oftenCheck, often.privateKey, () => lastTable === often.point);
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

  test('D154: nobody knows the private key of the decoy', async () => {
    // With a known one, signatures could be written whose check takes longer with the decoy than with the table of a key in use.
    const decoys: string[] = [];
    for (let i = 0; i < 2; i++) {
      const { privateKey, point, plain } = newKey();
      const fresh = newKey();
      let lastTable: Uint8Array | undefined;
      const make = createP256Check(async (key) => {
        const verifies = (await addon?.p256Verifier(key)) as VerifyMessage;
        return (message, signature) => {
          lastTable = key;
          return verifies(message, signature);
        };
      });
      await warm(make(point, plain), privateKey, () => lastTable === point);
      const { signature, compact } = signed(fresh.privateKey);
      expect(make(fresh.point, fresh.plain)(randomBytes(7), signature, compact)).toBe(false);
      decoys.push(Buffer.from(lastTable as Uint8Array).toString('hex'));
    }
    expect(new Set([...decoys, Buffer.from(p256.Point.BASE.toBytes(true)).toString('hex')]).size).toBe(3);
  });

  test('a table that refuses a good signature locks nobody out, and is made again', async () => {
    const { privateKey, point, plain } = newKey();
    let made = 0;
    let tableChecks = 0;
    let isBroken = false;
    const make = createP256Check(async (key) => {
      const verifies = (await addon?.p256Verifier(key)) as VerifyMessage;
      if (key !== point) return verifies;
      made++;
      return (message, signature) => {
        tableChecks++;
        return !isBroken && verifies(message, signature);
      };
    });
    const check = make(point, plain);
    await warm(check, privateKey, () => tableChecks > 0);
    isBroken = true;
    tableChecks = 0;
    for (let i = 0; i < 20; i++) {
      const { message, signature, compact } = signed(privateKey);
      expect(check(message, signature, compact)).toBe(true);
      expect(check(randomBytes(5), signature, compact)).toBe(false);
    }
    expect(tableChecks).toBe(1);
    isBroken = false;
    await warm(check, privateKey, () => tableChecks > 1);
    expect(made).toBe(2);
  });

  test.each([
    ['refuses', false],
    ['takes', true],
  ])('D153: an addon that %s every signature but those of the known answers gets no key', async (_, answer) => {
    const { privateKey, point, plain } = newKey();
    const keys: Uint8Array[] = [];
    const make = createP256Check(async (key) => {
      keys.push(key);
      const verifies = (await addon?.p256Verifier(key)) as VerifyMessage;
      const isKnown = keys.length === 1;
      return (message, signature) => (isKnown ? verifies(message, signature) : answer);
    });
    const check = make(point, plain);
    const { message, signature, compact } = signed(privateKey);
    for (let i = 0; i < 300; i++) {
      expect(check(message, signature, compact)).toBe(true);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(keys).toHaveLength(2);
    expect(keys).not.toContain(point);
    expect(check(randomBytes(3), signature, compact)).toBe(false);
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

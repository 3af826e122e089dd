import { createPublicKey, ECDH, generateKeyPairSync, hash, type KeyObject, randomBytes, sign, verify } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { p256 as noble } from '@noble/curves/nist.js';
import { describe, expect, test } from 'vitest';
import type { VerifyMessage } from '../src/index.ts';
import { addon, edgesOf, joined, present, scalar } from './addon.ts';

const { Fn, Fp, BASE } = noble.Point;
const order = Fn.ORDER;
const SPKI = Buffer.from('3039301306072a8648ce3d020106082a8648ce3d030107032200', 'hex');

interface Pair {
  readonly verifies: VerifyMessage;
  readonly publicKey: KeyObject;
  readonly point: Uint8Array;
}

async function fromPoint(point: Uint8Array): Promise<Pair> {
  const publicKey = createPublicKey({ key: Buffer.concat([SPKI, point]), format: 'der', type: 'spki' });
  return { verifies: await present().p256Verifier(point), publicKey, point };
}

const openssl = (publicKey: KeyObject, message: Uint8Array, signature: Uint8Array): boolean =>
  verify('sha256', message, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature);

const ofNoble = (point: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean =>
  noble.verify(signature, hash('sha256', message, 'buffer'), point, { prehash: false, lowS: false });

describe.skipIf(addon === undefined)('P-256', () => {
  test('D150: thousands of good and altered signatures are judged as node:crypto judges them', async () => {
    for (let key = 0; key < 5; key++) {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const { x, y } = publicKey.export({ format: 'jwk' }) as { x: string; y: string };
      const odd = (Buffer.from(y, 'base64url').at(-1) as number) & 1;
      const { verifies } = await fromPoint(joined(Uint8Array.of(2 + odd), Buffer.from(x, 'base64url')));
      for (let i = 0; i < 400; i++) {
        const message = randomBytes(i % 300);
        const signature = sign('sha256', message, { key: privateKey, dsaEncoding: 'ieee-p1363' });
        expect(verifies(message, signature)).toBe(true);
        const bit = randomBytes(2).readUInt16BE() % 512;
        signature[bit >> 3] = (signature[bit >> 3] as number) ^ (1 << (bit & 7));
        expect(verifies(message, signature)).toBe(openssl(publicKey, message, signature));
        const random = randomBytes(64);
        expect(verifies(message, random)).toBe(openssl(publicKey, message, random));
      }
    }
  });

  test('D150: r and s at every edge are judged as node:crypto and noble judge them', async () => {
    const edges = [0n, 1n, 2n, order / 2n, order / 2n + 1n, order - 1n, order, order + 1n, Fp.ORDER, (1n << 256n) - 1n];
    for (const secret of [1n, 2n, order - 1n]) {
      const { verifies, publicKey, point } = await fromPoint(BASE.multiply(secret).toBytes(true));
      for (const message of secret === 1n ? [randomBytes(0)] : [randomBytes(5)]) {
        const m = Fn.create(BigInt(`0x${hash('sha256', message)}`));
        // r = x(G) belongs to nonce 1: s = m + r d is good, and so is its negative.
        const good = Fn.add(m, Fn.mul(Fn.create(BASE.x), secret));
        for (const r of [...edges, BASE.x, Fn.create(BASE.x)])
          for (const s of [...edges, good, Fn.neg(good), Fn.add(good, 1n)]) {
            const signature = joined(scalar(r), scalar(s));
            const said = verifies(message, signature);
            expect(said).toBe(openssl(publicKey, message, signature));
            expect(said).toBe(r > 0n && r < order && s > 0n && s < order && ofNoble(point, message, signature));
          }
        expect(verifies(message, joined(scalar(Fn.create(BASE.x)), scalar(good)))).toBe(true);
        expect(verifies(message, joined(scalar(Fn.create(BASE.x)), scalar(Fn.neg(good))))).toBe(true);
      }
    }
  });

  test('D180: every s has its inverse, at edges and at random', async () => {
    const r = Fn.create(BASE.x);
    const message = Buffer.from('countersign');
    const m = Fn.create(BigInt(`0x${hash('sha256', message)}`));
    for (const s of [
      ...edgesOf(order),
      ...Array.from({ length: 12 }, () => Fn.create(BigInt(`0x${randomBytes(32).toString('hex')}`))),
    ]) {
      // Nonce 1 gives r = x(G) and s = m + r d, so this is the key of that s.
      const secret = Fn.mul(Fn.sub(s, m), Fn.inv(r));
      if (secret === 0n) continue;
      const { verifies, publicKey } = await fromPoint(BASE.multiply(secret).toBytes(true));
      for (const claimed of [s, Fn.neg(s)]) expect(verifies(message, joined(scalar(r), scalar(claimed)))).toBe(true);
      const other = joined(scalar(r), scalar(Fn.add(s, 1n)));
      expect(verifies(message, other)).toBe(openssl(publicKey, message, other));
    }
  });

  test('D150: a sum at infinity and a sum that doubles a point are handled', async () => {
    const message = randomBytes(9);
    const m = Fn.create(BigInt(`0x${hash('sha256', message)}`));
    // With d = -m / r the sum is at infinity for every s. With d = m / r both halves are the same point.
    const r = Fn.create(BASE.x);
    const [opposite, same] = [Fn.mul(Fn.neg(m), Fn.inv(r)), Fn.mul(m, Fn.inv(r))];
    const infinite = await fromPoint(BASE.multiply(opposite).toBytes(true));
    for (const s of [1n, 5n, order - 1n]) {
      const signature = joined(scalar(r), scalar(s));
      expect(infinite.verifies(message, signature)).toBe(false);
      expect(openssl(infinite.publicKey, message, signature)).toBe(false);
    }
    const doubled = await fromPoint(BASE.multiply(same).toBytes(true));
    expect(doubled.verifies(message, joined(scalar(r), scalar(Fn.add(m, m))))).toBe(true);
  });

  test('D150: an x of R that is not below the order counts modulo the order', async () => {
    // Wycheproof has the signatures of such an R. Here is every point with the smallest x beyond the order.
    for (let x = order; x < order + 16n; x++) {
      const bytes = joined(Uint8Array.of(2), scalar(x));
      if (!isPoint(bytes)) continue;
      // Q = (s R - m G) / r for r = x - n verifies by construction.
      const message = randomBytes(3);
      const m = Fn.create(BigInt(`0x${hash('sha256', message)}`));
      const r = x - order;
      if (r === 0n) continue;
      const s = 12_345n;
      const R = noble.Point.fromBytes(bytes);
      const Q = R.multiply(s).subtract(BASE.multiply(m)).multiply(Fn.inv(r));
      const { verifies, publicKey, point } = await fromPoint(Q.toBytes(true));
      const signature = joined(scalar(r), scalar(s));
      expect(openssl(publicKey, message, signature)).toBe(true);
      expect(ofNoble(point, message, signature)).toBe(true);
      expect(verifies(message, signature)).toBe(true);
      expect(verifies(message, joined(scalar(r + 1n), scalar(s)))).toBe(false);
    }
  });

  test('D150: Wycheproof signatures, as node:crypto judges their r and s', async () => {
    const url = new URL('../../../conformance/wycheproof/ecdsa_secp256r1_sha256_test.json', import.meta.url);
    const { testGroups } = JSON.parse(readFileSync(url, 'utf8')) as {
      testGroups: { publicKey: { uncompressed: string }; tests: { msg: string; sig: string; result: string }[] }[];
    };
    let good = 0;
    let read = 0;
    const compressed = ({ uncompressed }: { uncompressed: string }) =>
      ECDH.convertKey(uncompressed, 'prime256v1', 'hex', undefined, 'compressed') as Buffer;
    const pairs = await Promise.all(testGroups.map(({ publicKey }) => fromPoint(compressed(publicKey))));
    for (const [index, { tests }] of testGroups.entries()) {
      const pair = pairs[index] as Pair;
      for (const { msg, sig, result } of tests) {
        const compact = compactOf(sig);
        if (compact === undefined) continue;
        read++;
        const message = Buffer.from(msg, 'hex');
        const said = pair.verifies(message, compact);
        expect(said).toBe(openssl(pair.publicKey, message, compact));
        if (result === 'valid') expect(said).toBe(true);
        if (said) good++;
      }
    }
    expect(good).toBeGreaterThan(100);
    expect(read).toBeGreaterThan(good + 50);
  });

  test('D151: bytes that are not a point of the curve get no table', async () => {
    const { p256Verifier } = present();
    const refused = [
      joined(Uint8Array.of(2), scalar(Fp.ORDER)),
      joined(Uint8Array.of(2), scalar(Fp.ORDER + 5n)),
      joined(Uint8Array.of(4), scalar(BASE.x)),
      joined(Uint8Array.of(0), scalar(BASE.x)),
      joined(Uint8Array.of(6), scalar(BASE.x)),
      joined(Uint8Array.of(3), scalar(2n ** 256n - 1n)),
      new Uint8Array(33),
    ];
    // The other half of all x are those of the twist.
    for (let x = 0n; x < 6n; x++) refused.push(joined(Uint8Array.of(2), scalar(x)), joined(Uint8Array.of(3), scalar(x)));
    for (const bytes of refused) {
      if (isPoint(bytes)) expect(await p256Verifier(bytes)).toBeTypeOf('function');
      else await expect(p256Verifier(bytes)).rejects.toThrow('cannot compute a table');
    }
    for (const length of [0, 1, 32, 34, 65]) expect(() => p256Verifier(new Uint8Array(length))).toThrow(TypeError);
    expect(() => p256Verifier('02' as never)).toThrow(TypeError);
    expect(() => (p256Verifier as () => unknown)()).toThrow(TypeError);
  });

  test('D151: a verifier refuses arguments of another kind and length', async () => {
    const verifies = (await present().p256Verifier(BASE.toBytes(true))) as (...all: unknown[]) => boolean;
    for (const length of [0, 1, 63, 65, 72]) expect(() => verifies(new Uint8Array(1), new Uint8Array(length))).toThrow(TypeError);
    for (const wrong of [[], [new Uint8Array(1)], ['text', new Uint8Array(64)], [null, null], [new Uint8Array(1), 'text']])
      expect(() => verifies(...wrong)).toThrow(TypeError);
    expect(verifies(new Uint8Array(0), new Uint8Array(64))).toBe(false);
  });

  test('many tables are made at the same time, and none is mixed up with another', async () => {
    const pairs = await Promise.all(Array.from({ length: 12 }, (_, i) => fromPoint(BASE.multiply(BigInt(i + 1)).toBytes(true))));
    const message = randomBytes(20);
    const m = Fn.create(BigInt(`0x${hash('sha256', message)}`));
    pairs.forEach(({ verifies }, own) => {
      for (let other = 0; other < pairs.length; other++) {
        const s = Fn.add(m, Fn.mul(Fn.create(BASE.x), BigInt(other + 1)));
        expect(verifies(message, joined(scalar(Fn.create(BASE.x)), scalar(s)))).toBe(own === other);
      }
    });
  });

  test('D151: a thread may end while its tables are made', async () => {
    const build = process.env.COUNTERSIGN_NATIVE === 'sanitized' ? 'Debug' : 'Release';
    const file = fileURLToPath(new URL(`../build/${build}/countersign_native.node`, import.meta.url));
    const source = `
      const { parentPort, workerData } = require('node:worker_threads');
      const { p256Verifier } = require(workerData.file);
      for (let i = 0; i < 6; i++) p256Verifier(i === 3 ? new Uint8Array(33) : workerData.point).catch(() => {});
      parentPort.postMessage('begun');
      if (workerData.exits) process.exit();`;
    for (let i = 0; i < 4; i++) {
      const worker = new Worker(source, { eval: true, workerData: { file, point: BASE.toBytes(true), exits: i % 2 === 0 } });
      const ended = once(worker, 'exit');
      await Promise.race([once(worker, 'message'), ended]);
      await setTimeout(i * 4);
      await worker.terminate();
      expect(await ended).toHaveLength(1);
    }
  });
});

function isPoint(bytes: Uint8Array): boolean {
  try {
    noble.Point.fromBytes(bytes).assertValidity();
    return true;
  } catch {
    return false;
  }
}

/** r and s of a DER signature where each fits into 32 bytes. Strictness is for the reader of DER, which has vectors of its own. */
function compactOf(der: string): Uint8Array | undefined {
  const bytes = Buffer.from(der, 'hex');
  const rLength = bytes[3] ?? 0;
  const sLength = bytes[5 + rLength] ?? 0;
  if (bytes[0] !== 0x30 || bytes[2] !== 2 || bytes[4 + rLength] !== 2 || bytes.length !== 6 + rLength + sLength) return undefined;
  const digits = (from: number, length: number) =>
    bytes
      .subarray(from, from + length)
      .toString('hex')
      .replace(/^(00)+/, '');
  const [r, s] = [digits(4, rLength), digits(6 + rLength, sLength)];
  if (r.length > 64 || s.length > 64) return undefined;
  return joined(Buffer.from(r.padStart(64, '0'), 'hex'), Buffer.from(s.padStart(64, '0'), 'hex'));
}

import { createHash, createPrivateKey, sign as nodeSign, randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { secp256k1 as noble } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CheckAll } from '../src/index.ts';
import { addon, edgesOf, fromHex, joined, present, scalar } from './addon.ts';

const bindings: typeof import('secp256k1') = createRequire(import.meta.url)('secp256k1/bindings.js');
const { Fn, BASE } = noble.Point;
const order = Fn.ORDER;

function sign(digests: Uint8Array, privateKey: Uint8Array): Uint8Array {
  const signatures = Array.from({ length: digests.length / 32 }, (_, index) => {
    const { signature, recid } = bindings.ecdsaSign(digests.subarray(index * 32, index * 32 + 32), privateKey);
    return joined(signature, Uint8Array.of(recid));
  });
  return joined(...signatures);
}

function coordinates(multiple: bigint): { x: string; y: string } {
  const { x, y } = BASE.multiply(multiple).toAffine();
  return { x: Buffer.from(scalar(x)).toString('base64url'), y: Buffer.from(scalar(y)).toString('base64url') };
}

/** Checks with and without a table and, if the private key is known, among valid signatures. All answers must agree. */
function checks(publicKey: Uint8Array, privateKey?: Uint8Array): CheckAll {
  const [cold, warm] = [present().secp256k1Checker(publicKey, false), present().secp256k1Checker(publicKey, true)];
  const others = privateKey === undefined ? new Uint8Array() : new Uint8Array(randomBytes(32 * 7));
  const good = privateKey === undefined ? others : sign(others, privateKey);
  return (signatures, digests) => {
    const answer = cold(signatures, digests);
    expect(warm(signatures, digests)).toBe(answer);
    if (privateKey === undefined) return answer;
    for (const check of [cold, warm]) {
      expect(check(joined(good, signatures), joined(others, digests))).toBe(answer);
      expect(check(joined(signatures, good), joined(digests, others))).toBe(answer);
    }
    return answer;
  };
}

/** The answer without the addon: s is low, and recovery returns the key. */
function isGood(signature: Uint8Array, digest: Uint8Array, publicKey: Uint8Array): boolean {
  const recovery = signature[64] as number;
  const s = BigInt(`0x${Buffer.from(signature.subarray(32, 64)).toString('hex')}`);
  if (recovery > 1 || s > order / 2n) return false;
  try {
    return Buffer.compare(bindings.ecdsaRecover(signature.subarray(0, 64), recovery, digest, true), publicKey) === 0;
  } catch {
    return false;
  }
}

const keys = fc.bigInt(1n, order - 1n).map(scalar);
const digests = fc.oneof(
  fc.uint8Array({ minLength: 32, maxLength: 32 }),
  fc.constantFrom(0n, 1n, order - 1n, order, order + 1n, (1n << 256n) - 1n).map(scalar),
);

/** Forty cases per key, because a table takes as long to compute as many checks. */
const several = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(one, { minLength: 40, maxLength: 40 });

describe.skipIf(addon === undefined)('secp256k1', () => {
  test('D180: inverts every low s, at edges and at random, single and in batches', () => {
    const secret = Fn.create(BigInt(`0x${randomBytes(32).toString('hex')}`));
    const publicKey = BASE.multiply(secret).toBytes(true);
    const check = checks(publicKey, scalar(secret));
    const random = Array.from({ length: 500 }, () => Fn.create(BigInt(`0x${randomBytes(32).toString('hex')}`)));
    const cases = [...edgesOf(order), ...random].map((each, index) => {
      const s = each > order / 2n ? order - each : each;
      // R = k G, and the digest that makes this s: m = s k - r d.
      const k = index % 3 === 0 ? 1n : Fn.create(BigInt(`0x${randomBytes(32).toString('hex')}`));
      const { x, y } = BASE.multiply(k).toAffine();
      const r = Fn.create(x);
      const digest = scalar(Fn.sub(Fn.mul(s, k), Fn.mul(r, secret)));
      return { digest, signature: joined(scalar(r), scalar(s), Uint8Array.of(Number(y & 1n))) };
    });
    for (const { digest, signature } of cases) {
      expect(isGood(signature, digest, publicKey)).toBe(true);
      expect(check(signature, digest)).toBe(true);
      const wrong = Uint8Array.from(digest);
      wrong[31] = (wrong[31] as number) ^ 1;
      expect(check(signature, wrong)).toBe(false);
    }
    const all = [joined(...cases.map(({ signature }) => signature)), joined(...cases.map(({ digest }) => digest))] as const;
    expect(check(...all)).toBe(true);
  });

  test('accepts signatures of noble and of OpenSSL', () => {
    const key = scalar(7n);
    const jwk = { kty: 'EC', crv: 'secp256k1', ...coordinates(7n), d: Buffer.from(key).toString('base64url') };
    const openssl = createPrivateKey({ format: 'jwk', key: jwk });
    const check = checks(bindings.publicKeyCreate(key, true), key);
    for (let i = 0; i < 50; i++) {
      const message = randomBytes(i);
      const digest = createHash('sha256').update(message).digest();
      const recovered = noble.sign(digest, key, { prehash: false, format: 'recovered' });
      expect(check(joined(recovered.slice(1), recovered.subarray(0, 1)), digest)).toBe(true);
      const compact = nodeSign('sha256', message, { key: openssl, dsaEncoding: 'ieee-p1363' });
      const low = bindings.signatureNormalize(Uint8Array.from(compact));
      const answers = [0, 1].map((recovery) => check(joined(low, Uint8Array.of(recovery)), digest));
      expect(answers.toSorted()).toEqual([false, true]);
    }
  });

  test('D150: agrees with recovery about signatures with one flipped bit', () => {
    fc.assert(
      fc.property(keys, several(fc.tuple(digests, fc.nat(65 * 8 - 1), fc.boolean())), (key, each) => {
        const publicKey = bindings.publicKeyCreate(key, true);
        const check = checks(publicKey, key);
        for (const [digest, bit, inDigest] of each) {
          const [signature, altered] = [sign(digest, key), Uint8Array.from(digest)];
          const target = inDigest ? altered : signature;
          const at = (bit >> 3) % target.length;
          target[at] = (target[at] as number) ^ (1 << (bit & 7));
          expect(check(signature, altered)).toBe(isGood(signature, altered, publicKey));
        }
      }),
      { numRuns: 20 },
    );
  });

  test('D150: agrees with recovery about r and s at every edge', () => {
    const edges = [0n, 1n, 2n, order / 2n, order / 2n + 1n, order - 1n, order, order + 1n, (1n << 256n) - 1n];
    for (const privateKey of [1n, 2n, order - 1n]) {
      const publicKey = bindings.publicKeyCreate(scalar(privateKey), true);
      const check = checks(publicKey, scalar(privateKey));
      for (const r of [...edges, BASE.x])
        for (const s of edges)
          for (const m of [0n, 1n, order - 1n])
            for (const recovery of [0, 1, 2, 3, 255]) {
              const signature = joined(scalar(r), scalar(s), Uint8Array.of(recovery));
              const zero = r % order === 0n || s % order === 0n || r >= order || s >= order;
              const good = !zero && isGood(signature, scalar(m), publicKey);
              expect(check(signature, scalar(m)), `${privateKey} ${r} ${s} ${m} ${recovery}`).toBe(good);
            }
    }
  });

  test('D150: handles a sum at infinity and sums that double a point', () => {
    // For the key 1, u1 G + u2 Q = ((m + r) / s) G: at infinity for m = -r, and both halves the same point for m = r.
    const check = checks(BASE.toBytes(true), scalar(1n));
    const r = Fn.create(BASE.x);
    expect(check(joined(scalar(r), scalar(1n), Uint8Array.of(0)), scalar(Fn.neg(r)))).toBe(false);
    const s = Fn.add(r, r);
    const [low, recovery] = s > order / 2n ? [order - s, 1] : [s, 0];
    expect(check(joined(scalar(r), scalar(low), Uint8Array.of(recovery)), scalar(r))).toBe(true);
  });

  test('D150: adds equal and opposite points of the two tables', () => {
    // For the key 1 both tables hold multiples of G. The digits 14 of base 2^10 and 20 of base 2^7 stand for multiples of 2^140 G, and
    // all digits are there, so that these two are added to each other first.
    const check = checks(BASE.toBytes(true), scalar(1n));
    const digits = (count: number, width: number) => Array.from({ length: count }, (_, row) => 1n << BigInt(row * width));
    const sum = (numbers: readonly bigint[]) => Fn.create(numbers.reduce((all, each) => all + each, 0n));
    const meeting = 1n << 140n;
    for (const [a, b] of [
      [1n, 1n],
      [1n, -1n],
      [-5n, 5n],
      [-7n, -7n],
      [2n, 3n],
    ] as const) {
      const u2 = Fn.add(sum(digits(37, 7)), Fn.create((b - 1n) * meeting));
      // A high s would be replaced by its twin, which has other digits.
      const [u1, s, r, y] = Array.from({ length: 64 }, (_, more) => {
        const first = Fn.add(sum(digits(26, 10)), Fn.create((a - 1n) * meeting + BigInt(more)));
        const point = BASE.multiply(Fn.add(first, u2)).toAffine();
        return [first, Fn.div(Fn.create(point.x), u2), Fn.create(point.x), point.y] as const;
      }).find(([, each]) => each <= order / 2n) as readonly [bigint, bigint, bigint, bigint];
      const signature = joined(scalar(r), scalar(s), Uint8Array.of(Number(y & 1n)));
      const digest = scalar(Fn.mul(u1, s));
      expect(isGood(signature, digest, BASE.toBytes(true))).toBe(true);
      expect(check(signature, digest)).toBe(true);
      expect(check(signature, scalar(Fn.add(Fn.mul(u1, s), 1n)))).toBe(false);
    }
  });

  test('D150: adds equal and opposite sums at every level', () => {
    const random = () => Fn.create(BigInt(`0x${randomBytes(32).toString('hex')}`));
    for (const width of [7n, 4n])
      for (let level = 0; level < 5; level++)
        for (const factor of [1n, -1n]) {
          const { secret, digest, signature } = meeting(width, level, factor, random);
          const publicKey = BASE.multiply(secret).toBytes(true);
          expect(isGood(signature, digest, publicKey)).toBe(true);
          const wrong = Uint8Array.from(digest);
          wrong[31] = (wrong[31] as number) ^ 1;
          // A key without a table gets one of width 4 for so many.
          const check = present().secp256k1Checker(publicKey, width === 7n);
          const others = new Uint8Array(randomBytes(32 * 15));
          const good = sign(others, scalar(secret));
          expect(check(signature, digest)).toBe(true);
          expect(check(signature, wrong)).toBe(false);
          expect(check(joined(good, signature), joined(others, digest))).toBe(true);
          expect(check(joined(signature, good), joined(digest, others))).toBe(true);
          expect(check(joined(signature, good), joined(wrong, others))).toBe(false);
        }
  });

  test('D150: rejects a signature with a high s', () => {
    const key = scalar(11n);
    const digest = scalar(5n);
    const signature = sign(digest, key);
    const s = BigInt(`0x${Buffer.from(signature.subarray(32, 64)).toString('hex')}`);
    const twin = joined(signature.subarray(0, 32), scalar(order - s), Uint8Array.of(1 - (signature[64] as number)));
    expect(noble.verify(twin.subarray(0, 64), digest, bindings.publicKeyCreate(key, true), { prehash: false, lowS: false })).toBe(
      true,
    );
    expect(checks(bindings.publicKeyCreate(key, true), key)(twin, digest)).toBe(false);
  });

  test('D150: rejects a batch with one wrong signature at any position', () => {
    const key = scalar(3n);
    const publicKey = bindings.publicKeyCreate(key, true);
    const check = checks(publicKey);
    for (const count of [1, 2, 5, 6, 7, 8, 15, 16, 17, 31, 32, 33, 100]) {
      const batch = new Uint8Array(randomBytes(count * 32));
      const signatures = sign(batch, key);
      expect(check(signatures, batch)).toBe(true);
      for (const index of new Set([0, count >> 1, count - 1])) {
        const altered = Uint8Array.from(signatures);
        altered[index * 65 + 40] = (altered[index * 65 + 40] as number) ^ 1;
        expect(check(altered, batch)).toBe(false);
        altered.fill(0, index * 65 + 32, index * 65 + 64);
        expect(check(altered, batch)).toBe(false);
      }
    }
  });

  test('D150: rejects wrong signatures whose errors cancel each other out', () => {
    const key = scalar(13n);
    const batch = new Uint8Array(randomBytes(32 * 10));
    const signatures = sign(batch, key);
    const check = checks(bindings.publicKeyCreate(key, true));
    const toNumber = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
    // With m + s d for m, the equation is wrong by d G: the sum of all equations would still hold.
    const shift = (at: number, by: bigint) => {
      const s = toNumber(signatures.subarray(at * 65 + 32, at * 65 + 64));
      const digest = batch.subarray(at * 32, at * 32 + 32);
      digest.set(scalar(Fn.add(Fn.create(toNumber(digest)), Fn.mul(s, Fn.create(by)))));
    };
    for (const by of [1n, 12345n, order / 3n]) {
      shift(2, by);
      shift(7, -by);
      expect(check(signatures, batch)).toBe(false);
      shift(2, -by);
      expect(check(signatures, batch)).toBe(false);
      shift(7, by);
      expect(check(signatures, batch)).toBe(true);
    }
  });

  test('D151: rejects bytes that are not a point, a signature or a digest', () => {
    const { secp256k1Checker } = present();
    const off = BASE.toBytes(true).map((byte, i) => (i === 32 ? byte ^ 1 : byte));
    const p = noble.Point.Fp.ORDER;
    const notPoints = [
      joined(Uint8Array.of(2), scalar(p)),
      joined(Uint8Array.of(2), scalar(p + 1n)),
      joined(Uint8Array.of(4), scalar(BASE.x)),
      joined(Uint8Array.of(0), scalar(0n)),
      joined(Uint8Array.of(2), scalar(5n)),
      new Uint8Array(33),
    ];
    if (!isPoint(off)) notPoints.push(off);
    for (const bytes of notPoints) {
      expect(isPoint(bytes)).toBe(false);
      for (const withTable of [false, true]) expect(() => secp256k1Checker(bytes, withTable)).toThrow('not a point');
    }
    for (const length of [0, 1, 32, 34, 65]) expect(() => secp256k1Checker(new Uint8Array(length), true)).toThrow(TypeError);
    const digest = scalar(1n);
    const check = secp256k1Checker(BASE.toBytes(true), false);
    expect(() => check(new Uint8Array(64), digest)).toThrow(TypeError);
    expect(() => check(new Uint8Array(65), new Uint8Array(0))).toThrow(TypeError);
    expect(() => check(new Uint8Array(0), new Uint8Array(0))).toThrow(TypeError);
    expect(() => check(new Uint8Array(65), new Uint8Array(33))).toThrow(TypeError);
    const wrongTypes = [
      'x'.repeat(65),
      new Uint16Array(65),
      new DataView(new ArrayBuffer(65)),
      new ArrayBuffer(65),
      null,
      undefined,
    ];
    for (const value of wrongTypes) expect(() => check(value as never, digest)).toThrow(TypeError);
    for (const value of wrongTypes) expect(() => check(new Uint8Array(65), value as never)).toThrow(TypeError);
    for (const value of wrongTypes) expect(() => secp256k1Checker(value as never, true)).toThrow(TypeError);
    expect(() => secp256k1Checker(BASE.toBytes(true), 1 as never)).toThrow(TypeError);
  });

  test('D151: rejects detached arrays', () => {
    const digest = new Uint8Array(32);
    structuredClone(digest, { transfer: [digest.buffer] });
    const check = present().secp256k1Checker(BASE.toBytes(true), false);
    expect(() => check(new Uint8Array(65), digest)).toThrow(TypeError);
  });

  test('frees checkers that are not referenced', () => {
    const publicKey = fromHex('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798');
    for (let i = 0; i < 300; i++) present().secp256k1Checker(publicKey, true);
    expect(present().secp256k1Checker(publicKey, true)).toBeTypeOf('function');
  });
});

/** The digits of a number in base 2^width that are not zero, each times its power. They are from 1 - 2^(width - 1) to 2^(width - 1). */
function digitsOf(value: bigint, width: bigint): bigint[] {
  const base = 1n << width;
  const digits: bigint[] = [];
  for (let rest = value, power = 1n; rest > 0n; power *= base) {
    const digit = rest % base > base / 2n ? (rest % base) - base : rest % base;
    rest = (rest - digit) / base;
    if (digit !== 0n) digits.push(digit * power);
  }
  return digits;
}

/**
 * A signature, and a key for which the first two sums of this level are the same point, or opposite ones. The points of u1 G + u2 Q are
 * added in pairs, the second half to the first, so each sum is a G + b Q with known a and b. That gives the key.
 */
function meeting(width: bigint, level: number, factor: bigint, random: () => bigint) {
  for (;;) {
    const [u1, u2] = [random(), random()];
    let sums = [...digitsOf(u1, 10n).map((a) => ({ a, b: 0n })), ...digitsOf(u2, width).map((b) => ({ a: 0n, b }))];
    const kept = () => Math.ceil(sums.length / 2);
    for (let i = 0; i < level; i++) {
      const others = sums.slice(kept());
      sums = sums.slice(0, kept()).map(({ a, b }, j) => ({ a: a + (others[j]?.a ?? 0n), b: b + (others[j]?.b ?? 0n) }));
    }
    const [one, other] = [sums[0], sums[kept()]];
    if (one === undefined || other === undefined) continue;
    const secret = Fn.div(Fn.create(factor * other.a - one.a), Fn.create(one.b - factor * other.b));
    const { x, y } = BASE.multiply(Fn.add(u1, Fn.mul(u2, secret))).toAffine();
    const s = Fn.div(Fn.create(x), u2);
    // A high s would be replaced by its twin, which has other digits.
    if (s > order / 2n) continue;
    const signature = joined(scalar(Fn.create(x)), scalar(s), Uint8Array.of(Number(y & 1n)));
    return { secret, signature, digest: scalar(Fn.mul(u1, s)) };
  }
}

function isPoint(bytes: Uint8Array): boolean {
  return bindings.publicKeyVerify(bytes);
}

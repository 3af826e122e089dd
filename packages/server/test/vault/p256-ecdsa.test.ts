import { createHmac, type Hmac } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import { describe, expect, test, vi } from 'vitest';
import { multiplyBase, signDigest } from '../../src/vault/curves/p256-ecdsa.ts';
import { fromHex, toHex } from './support.ts';

const { Fn, BASE } = p256.Point;
const digest = fromHex('af2bdbe1aa9b6ec1e2ade1d694f41fc71a831d0268e9891562113d8a62add1bf');
const privateKey = fromHex('c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721');

const hmac = (key: Uint8Array, ...parts: readonly Uint8Array[]) => {
  const hash = createHmac('sha256', key);
  for (const part of parts) hash.update(part);
  return Uint8Array.from(hash.digest());
};

/** RFC 6979, section 3.2, written down once more: the candidates for a nonce, as many as asked for. */
function candidates(count: number): bigint[] {
  const hashed = Fn.toBytes(Fn.create(Fn.fromBytes(digest, true)));
  let [k, v] = [new Uint8Array(32), new Uint8Array(32).fill(1)];
  for (const round of [0, 1]) {
    k = hmac(k, v, Uint8Array.of(round), privateKey, hashed);
    v = hmac(k, v);
  }
  const found: bigint[] = [];
  for (;;) {
    v = hmac(k, v);
    found.push(Fn.fromBytes(v));
    if (found.length === count) return found;
    k = hmac(k, v, Uint8Array.of(0));
    v = hmac(k, v);
  }
}

/** What the textbook makes of a nonce. */
function expected(nonce: bigint): string {
  const { x, y } = BASE.multiply(nonce).toAffine();
  const s = Fn.div(Fn.add(Fn.fromBytes(digest), Fn.mul(x, Fn.fromBytes(privateKey))), nonce);
  const isHigh = s > Fn.ORDER / 2n;
  const recovery = Number(y & 1n) ^ Number(isHigh);
  return toHex(Uint8Array.of(recovery, ...Fn.toBytes(x), ...Fn.toBytes(isHigh ? Fn.neg(s) : s)));
}

function sign(multiply?: typeof multiplyBase): string {
  const { bytes, recovery } = signDigest(digest, privateKey, multiply);
  return toHex(Uint8Array.of(recovery, ...bytes));
}

/** Multiplication where the first candidates give a point whose x is not below the order. */
function unfit(count: number): typeof multiplyBase {
  let left = count;
  return (scalar) => (left-- > 0 ? fromHex(`02${'ff'.repeat(32)}`) : multiplyBase(scalar));
}

describe('nonces of P-256', () => {
  test('the first candidate is that of RFC 6979, appendix A.2.5', () => {
    const [first] = candidates(1) as [bigint];
    expect(first.toString(16)).toBe('a6e3c57dd01abe90086538398355dd4c3b17aa873382b0f24d6129493d8aad60');
    expect(sign()).toBe(expected(first));
  });

  test('where a candidate is not fit, the next one is taken, and then the one after it', () => {
    const [, second, third] = candidates(3) as [bigint, bigint, bigint];
    expect(sign(unfit(1))).toBe(expected(second));
    expect(sign(unfit(2))).toBe(expected(third));
  });

  test('all candidates, and what they were made from, are overwritten afterwards, also where signing fails', () => {
    const digests = vi.spyOn(Object.getPrototypeOf(createHmac('sha256', 'any')) as Hmac, 'digest');
    const made = () => digests.mock.results.map(({ value }) => toHex(value as Uint8Array));
    sign(unfit(1));
    expect(made()).toEqual(Array.from({ length: 8 }, () => '00'.repeat(32)));
    const fail = () => {
      throw new Error('no curve');
    };
    expect(() => sign(fail)).toThrow('no curve');
    expect(made()).toEqual(Array.from({ length: 13 }, () => '00'.repeat(32)));
    digests.mockRestore();
  });
});

import { createECDH, createHmac, randomBytes } from 'node:crypto';
import type { RawSignature } from '@countersign/chains';
import { p256 } from '@noble/curves/nist.js';
import { halfOrders, hasLowS } from '../keys/low-s.ts';

const { Fn } = p256.Point;

const HASH_BYTES = 32;
const HALF_ORDER = Fn.ORDER >> 1n;

/** Makes no copy of the bytes, which could not be wiped. */
const toNumber = ({ buffer, byteOffset, length }: Uint8Array) =>
  BigInt(`0x${Buffer.from(buffer, byteOffset, length).toString('hex')}`);

/** The compressed point of a scalar, by OpenSSL in constant time. Throws unless the scalar is from 1 to n - 1. */
export function multiplyBase(scalar: Uint8Array): Uint8Array {
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(scalar);
  return ecdh.getPublicKey(null, 'compressed');
}

/** The candidates for a nonce: RFC 6979, section 3.2, with HMAC-SHA-256. All are overwritten when the generator ends. */
function* noncesFor(privateKey: Uint8Array, hashed: Uint8Array): Generator<Uint8Array> {
  const made: Buffer[] = [];
  const hmac = (key: Uint8Array, ...parts: readonly Uint8Array[]) => {
    const hash = createHmac('sha256', key);
    for (const part of parts) hash.update(part);
    const digest = hash.digest();
    made.push(digest);
    return digest;
  };
  try {
    let key: Uint8Array = new Uint8Array(HASH_BYTES).fill(0x00);
    let value: Uint8Array = new Uint8Array(HASH_BYTES).fill(0x01);
    for (const round of [0x00, 0x01]) {
      key = hmac(key, value, Uint8Array.of(round), privateKey, hashed);
      value = hmac(key, value);
    }
    for (;;) {
      value = hmac(key, value);
      yield value;
      key = hmac(key, value, Uint8Array.of(0x00));
      value = hmac(key, value);
    }
  } finally {
    for (const secret of made) secret.fill(0);
  }
}

/**
 * Signs a digest (FIPS 186-5, section 6.4.1) with a deterministic nonce (RFC 6979), a low s and a recovery bit. node:crypto signs with random
 * nonces, hashes its input and returns no recovery bit. OpenSSL does the multiplication, which takes nearly all of the time.
 * SECURITY: the stated exception to the rule that only libraries compute with private scalars. JavaScript cannot wipe bigints.
 */
export function signDigest(digest: Uint8Array, privateKey: Uint8Array, multiply = multiplyBase): RawSignature {
  const e = Fn.create(toNumber(digest));
  for (const nonce of noncesFor(privateKey, Fn.toBytes(e))) {
    const signature = signWith(nonce, e, privateKey, multiply);
    if (signature !== undefined) return signature;
  }
  throw new Error('unreachable: nonce candidates are infinite');
}

/** Undefined if the nonce is unusable. */
function signWith(nonce: Uint8Array, e: bigint, privateKey: Uint8Array, multiply: typeof multiplyBase): RawSignature | undefined {
  const k = toNumber(nonce);
  if (!Fn.isValidNot0(k)) return undefined;
  const point = multiply(nonce);
  const r = toNumber(point.subarray(1));
  // Once in 2^32 x is between the order and the prime. A recovery bit of 0 or 1 cannot represent that.
  if (!Fn.isValidNot0(r)) return undefined;
  // SECURITY: the time of an inversion depends on its operand, so a random multiple of the nonce is inverted.
  const blind = Fn.create(toNumber(randomBytes(HASH_BYTES))) || 1n;
  const blinded = Fn.add(Fn.mul(blind, e), Fn.mul(r, Fn.mul(blind, toNumber(privateKey))));
  const s = Fn.mul(Fn.inv(Fn.mul(k, blind)), blinded);
  if (s === 0n) return undefined;
  const isHigh = s > HALF_ORDER;
  const bytes = new Uint8Array([...point.subarray(1), ...Fn.toBytes(isHigh ? Fn.neg(s) : s)]);
  const isOdd = point[0] === 0x03;
  return { bytes, recovery: isOdd === isHigh ? 0 : 1 };
}

/**
 * Whether a signature is valid, by the verification equation with Q = d G: R = s⁻¹ (e + r d) G must be the point that r and the
 * recovery bit describe. Together with a fresh check of d G = Q this is equivalent to public verification. It takes two native
 * multiplications instead of some milliseconds of JavaScript, and checks the recovery bit too.
 */
export function fits(
  { bytes, recovery }: RawSignature,
  digest: Uint8Array,
  privateKey: Uint8Array,
  publicKey: Uint8Array,
): boolean {
  if (!hasLowS(bytes, halfOrders.CURVE_P256)) return false;
  try {
    if (Buffer.compare(multiplyBase(privateKey), publicKey) !== 0) return false;
    const [r, s, d] = [Fn.fromBytes(bytes.subarray(0, 32)), Fn.fromBytes(bytes.subarray(32)), Fn.fromBytes(privateKey)];
    const e = Fn.create(toNumber(digest));
    const nonce = Fn.toBytes(Fn.div(Fn.add(e, Fn.mul(r, d)), s));
    const point = multiplyBase(nonce);
    nonce.fill(0);
    return point[0] === 0x02 + recovery && Buffer.compare(point.subarray(1), bytes.subarray(0, 32)) === 0;
  } catch {
    // r, s or the nonce is zero or not below the order.
    return false;
  }
}

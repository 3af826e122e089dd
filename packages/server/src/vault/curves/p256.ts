import { createECDH } from 'node:crypto';
import type { RawSignature } from '@countersign/chains';
import { p256 } from '@noble/curves/nist.js';
import { halfOrders, hasLowS } from '../low-s.ts';
import { type CurveKeys, unfitRequest } from './curve-keys.ts';

const { Fn } = p256.Point;

/** FIPS 186-5: the order n of the group. */
const ORDER = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex');

/** The compressed point of a scalar, by OpenSSL in constant time. Throws unless the scalar is from 1 to n - 1. */
function multiplyBase(scalar: Uint8Array): Uint8Array {
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(scalar);
  return ecdh.getPublicKey(null, 'compressed');
}

function isBelowOrder(scalar: Uint8Array): boolean {
  let borrow = 0;
  for (let i = 31; i >= 0; i--) borrow = ((scalar[i] as number) - (ORDER[i] as number) - borrow) >>> 31;
  return borrow === 1;
}

function isPrivateKey(privateKey: Uint8Array): boolean {
  return privateKey.length === 32 && isBelowOrder(privateKey) && privateKey.some((byte) => byte !== 0);
}

/** The sum modulo the order, byte by byte and in place: JavaScript could not wipe a bigint. */
function addMaterial(privateKey: Uint8Array, material: Uint8Array): boolean {
  if (!isBelowOrder(material)) return false;
  const reduced = new Uint8Array(32);
  let carry = 0;
  let borrow = 0;
  for (let i = 31; i >= 0; i--) {
    const sum = (privateKey[i] as number) + (material[i] as number) + carry;
    carry = sum >>> 8;
    privateKey[i] = sum;
    const rest = (sum & 0xff) - (ORDER[i] as number) - borrow;
    borrow = rest >>> 31;
    reduced[i] = rest;
  }
  // The sum is below twice the order. Subtract the order once if the sum overflowed 32 bytes or is not below the order.
  const mask = -(carry | (1 - borrow));
  for (let i = 0; i < 32; i++) privateKey[i] = ((reduced[i] as number) & mask) | ((privateKey[i] as number) & ~mask);
  reduced.fill(0);
  return isPrivateKey(privateKey);
}

/**
 * The verification equation with Q = d G substituted: R = s⁻¹ (e + r d) G must be the point that r and the recovery bit name.
 * Together with a fresh check of d G = Q this is equivalent to public verification. It takes two native multiplications instead of
 * some milliseconds of JavaScript, and checks the recovery bit too.
 */
function fits({ bytes, recovery }: RawSignature, digest: Uint8Array, privateKey: Uint8Array, publicKey: Uint8Array): boolean {
  if (!hasLowS(bytes, halfOrders.CURVE_P256)) return false;
  try {
    if (Buffer.compare(multiplyBase(privateKey), publicKey) !== 0) return false;
    const [r, s, d] = [Fn.fromBytes(bytes.subarray(0, 32)), Fn.fromBytes(bytes.subarray(32)), Fn.fromBytes(privateKey)];
    const e = Fn.create(BigInt(`0x${Buffer.from(digest).toString('hex')}`));
    const nonce = Fn.toBytes(Fn.div(Fn.add(e, Fn.mul(r, d)), s));
    const point = multiplyBase(nonce);
    nonce.fill(0);
    return point[0] === 0x02 + recovery && Buffer.compare(point.subarray(1), bytes.subarray(0, 32)) === 0;
  } catch {
    // r, s or the nonce is zero or not below the order.
    return false;
  }
}

/**
 * P-256 with RFC 6979 nonces, low s and a recovery bit, like every ECDSA key. Node's OpenSSL interface signs with random nonces, hashes
 * its input and gives no recovery bit, so noble signs (about 0.7 ms): the same request always gives the same signature, and no nonce
 * depends on the randomness of the machine. OpenSSL derives public keys and does the check.
 * SECURITY: inside noble and inside the check, scalars pass through bigints, which JavaScript cannot wipe.
 */
export const p256Keys: CurveKeys = Object.freeze<CurveKeys>({
  isPrivateKey,
  publicKey: multiplyBase,
  addMaterial,
  open: (secret, publicKey) => ({
    sign(request) {
      if (request.kind !== 'ecdsa' || request.digest.length !== 32) throw unfitRequest('CURVE_P256', request);
      const signature = p256.sign(request.digest, secret.bytes, { prehash: false, lowS: true, format: 'recovered' });
      return { bytes: signature.slice(1), recovery: signature[0] as 0 | 1 };
    },
    verify: (request, signature) => request.kind === 'ecdsa' && fits(signature, request.digest, secret.bytes, publicKey),
    wipe: () => secret.wipe(),
  }),
});

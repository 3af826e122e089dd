import { createPrivateKey, createPublicKey, diffieHellman, ECDH } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1Engine } from './secp256k1-engine.ts';

/**
 * Whether bytes are a point that can verify signatures, checked by native code: a thousand of them take well under a tenth of a second.
 * Each may throw instead of returning false.
 */
export const isUsablePoint = { p256, secp256k1, ed25519: isUsableEd25519 };

/** `publicKey` is compressed. OpenSSL takes only points on the curve. */
function p256(publicKey: Uint8Array): boolean {
  ECDH.convertKey(publicKey, 'prime256v1', undefined, undefined, 'uncompressed');
  return true;
}

/** `publicKey` is compressed. */
function secp256k1(publicKey: Uint8Array): boolean {
  secp256k1Engine.prepare(publicKey);
  return true;
}

const { Fp, Fn } = ed25519.Point;

/**
 * Five times the order of the prime subgroup, less one: a multiple of 8 that RFC 7748 clamping leaves as it is. It turns a point of the
 * prime subgroup into its negative, which has the same u.
 */
const MINUS_ONE = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b656e04220420', 'hex'), littleEndian(5n * Fn.ORDER - 1n)]),
  format: 'der',
  type: 'pkcs8',
});
const PUBLIC_PREFIX = Buffer.from('302a300506032b656e032100', 'hex');

/**
 * A point of the prime subgroup, other than its neutral element, in its one encoding (RFC 8032 section 5.1.3).
 * SECURITY: with a low-order component, one signature could verify for many messages or keys. No honest key has such a component.
 *
 * X25519 checks this in one native multiplication of u = (1 + y) / (1 - y) by the scalar s above. The multiple 8 takes any low-order
 * component away, so `s * P = -P` exactly if P has none. A u that is on no point of the curve belongs to its twist, whose order 4q has
 * no factor in common with s + 1 or s - 1, so there s * P has another u.
 */
function isUsableEd25519(publicKey: Uint8Array): boolean {
  const y = BigInt(`0x${Buffer.from(publicKey).reverse().toString('hex')}`) & ((1n << 255n) - 1n);
  // y >= p would be a second name of a point. For y = 1 and y = -1 the point has a low order, and x is 0.
  if (publicKey.length !== 32 || y >= Fp.ORDER || y === 1n || y === Fp.ORDER - 1n) return false;
  const u = littleEndian(Fp.mul(Fp.add(Fp.ONE, y), Fp.inv(Fp.sub(Fp.ONE, y))));
  const point = createPublicKey({ key: Buffer.concat([PUBLIC_PREFIX, u]), format: 'der', type: 'spki' });
  return diffieHellman({ privateKey: MINUS_ONE, publicKey: point }).equals(u);
}

function littleEndian(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse();
}

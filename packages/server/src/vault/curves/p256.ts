import { type CurveKeys, unfitRequest } from './curve-keys.ts';
import { fits, multiplyBase, signDigest } from './p256-ecdsa.ts';

/** FIPS 186-5: the order n of the group. */
const ORDER = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex');

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

/** P-256 with RFC 6979 nonces, low s and a recovery bit, like every ECDSA key. */
export const p256Keys: CurveKeys = Object.freeze<CurveKeys>({
  isPrivateKey,
  publicKey: multiplyBase,
  addMaterial,
  open: (secret, publicKey) => ({
    sign(request) {
      if (request.kind !== 'ecdsa' || request.digest.length !== 32) throw unfitRequest('CURVE_P256', request);
      return signDigest(request.digest, secret.bytes);
    },
    verify: (request, signature) => request.kind === 'ecdsa' && fits(signature, request.digest, secret.bytes, publicKey),
    wipe: () => secret.wipe(),
  }),
});

import { secp256k1 } from '@noble/curves/secp256k1.js';

const { Fn } = secp256k1.Point;
const ORDER = Buffer.from(Fn.ORDER.toString(16), 'hex');

/**
 * The digest modulo the order of the group (RFC 6979, section 3.2.d). ECDSA reduces it anyway, but libsecp256k1 derives the nonce from the
 * digest as it is. Without this, its signatures of digests above the order differ from those of noble.
 */
export function reduceDigest(digest: Uint8Array): Uint8Array {
  if (Buffer.compare(digest, ORDER) < 0) return digest;
  return Fn.toBytes(Fn.create(BigInt(`0x${Buffer.from(digest).toString('hex')}`)));
}

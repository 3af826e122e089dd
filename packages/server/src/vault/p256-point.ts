import { p256 } from '@noble/curves/nist.js';

/** A P-256 public key in its uncompressed form, 65 bytes, from either form. Throws for bytes that are not a point, and for infinity. */
export function uncompressed(publicKey: Uint8Array): Uint8Array {
  return point(publicKey).toBytes(false);
}

/** The compressed form, 33 bytes, from either form. Throws like `uncompressed`. */
export function compressed(publicKey: Uint8Array): Uint8Array {
  return point(publicKey).toBytes(true);
}

function point(publicKey: Uint8Array) {
  const read = p256.Point.fromBytes(publicKey);
  read.assertValidity();
  return read;
}

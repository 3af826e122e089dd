import { secp256k1 } from '@noble/curves/secp256k1.js';

/** Adds `tweak` times the generator to a compressed secp256k1 key. Throws for a tweak that is zero or not below the order. */
export function tweakPublicKey(publicKey: Uint8Array, tweak: Uint8Array): Uint8Array {
  const { BASE, Fn } = secp256k1.Point;
  return secp256k1.Point.fromBytes(publicKey)
    .add(BASE.multiply(Fn.fromBytes(tweak)))
    .toBytes(true);
}

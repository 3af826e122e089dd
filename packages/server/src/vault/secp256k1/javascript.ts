import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import { halfOrders, hasLowS } from '../keys/low-s.ts';
import type { Secp256k1 } from './secp256k1.ts';

const { Point } = secp256k1;
const { Fn } = Point;

/** Gives the same bytes as libsecp256k1, if neither its addon nor its WebAssembly loads. Not constant-time. */
export const javascriptSecp256k1: Secp256k1 = Object.freeze<Secp256k1>({
  engine: 'javascript',
  isPrivateKey: (privateKey) => secp256k1.utils.isValidSecretKey(privateKey),
  publicKey: (privateKey) => secp256k1.getPublicKey(privateKey, true),
  addToPrivateKey(privateKey, tweak) {
    const addend = Fn.fromBytes(tweak, true);
    if (!Fn.isValid(addend)) return false;
    const sum = Fn.add(Fn.fromBytes(privateKey), addend);
    if (Fn.is0(sum)) return false;
    privateKey.set(Fn.toBytes(sum));
    return true;
  },
  negatePrivateKey: (privateKey) => privateKey.set(Fn.toBytes(Fn.neg(Fn.fromBytes(privateKey)))),
  addToPublicKey(publicKey, tweak) {
    const scalar = Fn.fromBytes(tweak);
    const point = Point.fromBytes(publicKey);
    return (Fn.is0(scalar) ? point : point.add(Point.BASE.multiplyUnsafe(scalar))).toBytes(true);
  },

  signEcdsa(digest, privateKey) {
    const signature = secp256k1.sign(digest, privateKey, { prehash: false, lowS: true, format: 'recovered' });
    return { bytes: signature.slice(1), recovery: signature[0] as 0 | 1 };
  },

  verifyEcdsa({ bytes, recovery }, digest, publicKey) {
    try {
      if (recovery > 1 || !hasLowS(bytes, halfOrders.CURVE_SECP256K1)) return false;
      const recovered = secp256k1.recoverPublicKey(Uint8Array.of(recovery, ...bytes), digest, { prehash: false });
      return Buffer.compare(recovered, publicKey) === 0;
    } catch {
      // No key fits such a signature.
      return false;
    }
  },

  signSchnorr: (digest, privateKey, auxiliary) => schnorr.sign(digest, privateKey, auxiliary),
  verifySchnorr: (signature, digest, publicKey) => schnorr.verify(signature, digest, publicKey.subarray(1)),
});

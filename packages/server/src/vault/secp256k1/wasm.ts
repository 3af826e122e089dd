import { createRequire } from 'node:module';
import { halfOrders, hasLowS } from '../keys/low-s.ts';
import { reduceDigest } from './reduce-digest.ts';
import type { Secp256k1 } from './secp256k1.ts';

type Wasm = typeof import('tiny-secp256k1');

/**
 * libsecp256k1 as WebAssembly, for platforms without its addon. It blinds its secret computations, and clears private keys from its memory
 * after each call. Throws if WebAssembly is not available.
 * SECURITY: D506: a call that fails inside WebAssembly does not free its stack there, and some thousand of them break every later call.
 * So points are checked with `isPoint` and `isXOnlyPoint`, which do not fail, before another function gets them.
 */
export function loadWasmSecp256k1(): Secp256k1 {
  const k1: Wasm = createRequire(import.meta.url)('tiny-secp256k1');

  return Object.freeze<Secp256k1>({
    engine: 'wasm',
    isPrivateKey: (privateKey) => k1.isPrivate(privateKey),
    publicKey: (privateKey) => required(k1.pointFromScalar(privateKey, true)),
    addToPrivateKey(privateKey, tweak) {
      try {
        const sum = k1.privateAdd(privateKey, tweak);
        if (sum === null) return false;
        privateKey.set(sum);
        sum.fill(0);
        return true;
      } catch {
        // The lengths are right, so the tweak is out of range.
        return false;
      }
    },
    negatePrivateKey(privateKey) {
      const negative = k1.privateNegate(privateKey);
      privateKey.set(negative);
      negative.fill(0);
    },
    addToPublicKey(publicKey, tweak) {
      if (!k1.isPoint(publicKey)) throw new TypeError('the public key is not a point of the curve');
      return required(k1.pointAddScalar(publicKey, tweak, true));
    },

    signEcdsa(digest, privateKey) {
      const { signature, recoveryId } = k1.signRecoverable(reduceDigest(digest), privateKey);
      return { bytes: signature, recovery: recoveryId as 0 | 1 };
    },

    verifyEcdsa({ bytes, recovery }, digest, publicKey) {
      if (recovery > 1 || !hasLowS(bytes, halfOrders.CURVE_SECP256K1)) return false;
      try {
        const recovered = k1.recover(digest, bytes, recovery, true);
        return recovered !== null && Buffer.compare(recovered, publicKey) === 0;
      } catch {
        // No key fits such a signature.
        return false;
      }
    },

    signSchnorr: (digest, privateKey, auxiliary) => k1.signSchnorr(digest, privateKey, auxiliary),

    verifySchnorr(signature, digest, publicKey) {
      const xOnly = publicKey.subarray(1);
      if (!k1.isXOnlyPoint(xOnly)) return false;
      try {
        return k1.verifySchnorr(digest, xOnly, signature);
      } catch {
        // A part of the signature is out of range.
        return false;
      }
    },
  });
}

function required(bytes: Uint8Array | null): Uint8Array {
  if (bytes === null) throw new TypeError('the result is not a point of the curve');
  return bytes;
}

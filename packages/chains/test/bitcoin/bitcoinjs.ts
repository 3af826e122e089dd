import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import * as bitcoin from 'bitcoinjs-lib';
import libsecp256k1 from 'secp256k1';

bitcoin.initEccLib({
  isXOnlyPoint: (x) => libsecp256k1.publicKeyVerify(Uint8Array.of(2, ...x)),
  xOnlyPointAddTweak(x, tweak) {
    try {
      const point = libsecp256k1.publicKeyTweakAdd(Uint8Array.of(2, ...x), tweak);
      return { parity: point[0] === 3 ? 1 : 0, xOnlyPubkey: point.subarray(1) };
    } catch {
      // bitcoinjs-lib tests this function when it is given, and expects null for a sum at infinity.
      return null;
    }
  },
});

/** bitcoinjs-lib, a second implementation of everything here, with its curve operations taken from libsecp256k1. */
export { bitcoin };

/** Whether bitcoinjs-lib finds the signatures of an input valid for the digest that it computes itself. */
export function signaturesAreValid(psbt: bitcoin.Psbt, index: number): boolean {
  return psbt.validateSignaturesOfInput(index, (key, digest, signature) =>
    key.length === 32 ? schnorr.verify(signature, digest, key) : secp256k1.verify(signature, digest, key, { prehash: false }),
  );
}

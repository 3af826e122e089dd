import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';

/**
 * How signatures are checked. A program may bring faster ways than the portable ones: most of the time of a verification goes here.
 * Each returns false for a signature that does not verify, and for an invalid key.
 */
export interface SignatureChecks {
  /** ECDSA on P-256 over SHA-256 of the message. 64 bytes: r, then s. The key is compressed, or uncompressed. */
  p256(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean;
  /** The same for the digest of a message. */
  p256Digest(publicKey: Uint8Array, digest: Uint8Array, signature: Uint8Array): boolean;
  /** ECDSA on secp256k1 over a digest. A high s is accepted. */
  secp256k1(publicKey: Uint8Array, digest: Uint8Array, signature: Uint8Array): boolean;
  /** RFC 8032. */
  ed25519(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean;
  /** BIP-340. The key has 32 bytes. */
  schnorr(publicKey: Uint8Array, digest: Uint8Array, signature: Uint8Array): boolean;
}

/** The curve libraries throw for bytes that are no key or no signature. Neither verifies. */
function orFalse(verify: () => boolean): boolean {
  try {
    return verify();
  } catch {
    return false;
  }
}

const digestOnly = { prehash: false, lowS: false } as const;

/** Pure JavaScript: the default. */
export const portableChecks: SignatureChecks = Object.freeze({
  p256: (publicKey, message, signature) => orFalse(() => p256.verify(signature, sha256(message), publicKey, digestOnly)),
  p256Digest: (publicKey, digest, signature) => orFalse(() => p256.verify(signature, digest, publicKey, digestOnly)),
  secp256k1: (publicKey, digest, signature) => orFalse(() => secp256k1.verify(signature, digest, publicKey, digestOnly)),
  ed25519: (publicKey, message, signature) => orFalse(() => ed25519.verify(signature, message, publicKey, { zip215: false })),
  schnorr: (publicKey, digest, signature) => orFalse(() => schnorr.verify(signature, digest, publicKey)),
} satisfies SignatureChecks);

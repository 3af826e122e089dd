import type { RawSignature } from '@countersign/chains';

/** The operations of the curve. All engines return the same bytes. Keys and digests have 32 bytes, public keys 33. */
export interface Secp256k1 {
  /** `native` and `wasm` are libsecp256k1: an addon for this platform, and WebAssembly for any. */
  readonly engine: 'native' | 'wasm' | 'javascript';
  /** Whether the bytes are a number from 1 to n - 1. */
  isPrivateKey(privateKey: Uint8Array): boolean;
  publicKey(privateKey: Uint8Array): Uint8Array;
  /** Adds to a private key in place, modulo n. False if the tweak is not below n or the sum is zero; the key is then garbage. */
  addToPrivateKey(privateKey: Uint8Array, tweak: Uint8Array): boolean;
  /** Replaces a private key by its negative modulo n, in place. */
  negatePrivateKey(privateKey: Uint8Array): void;
  /** The public key of `privateKey + tweak`, from the public key alone. Throws if there is no such key. */
  addToPublicKey(publicKey: Uint8Array, tweak: Uint8Array): Uint8Array;
  /** RFC 6979 nonce, low s. */
  signEcdsa(digest: Uint8Array, privateKey: Uint8Array): RawSignature;
  /** Whether the signature has a low s and its recovery bit leads back to the public key. */
  verifyEcdsa(signature: RawSignature, digest: Uint8Array, publicKey: Uint8Array): boolean;
  /** Verifies with a table of the public key, if the engine has tables. Gives the same answers as `verifyEcdsa`. */
  openVerifier?(publicKey: Uint8Array): EcdsaVerifier;
  /** BIP-340, with 32 bytes of auxiliary randomness. */
  signSchnorr(digest: Uint8Array, privateKey: Uint8Array, auxiliary: Uint8Array): Uint8Array;
  /** BIP-340. Ignores the parity of the public key. */
  verifySchnorr(signature: Uint8Array, digest: Uint8Array, publicKey: Uint8Array): boolean;
}

/** Verifies signatures of one key. */
export interface EcdsaVerifier {
  /** Whether every signature has a low s and its recovery bit leads back to the public key. */
  verify(signatures: readonly RawSignature[], digests: readonly Uint8Array[]): boolean;
  /** Releases the table. */
  release(): void;
}

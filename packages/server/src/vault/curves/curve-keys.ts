import { randomFillSync } from 'node:crypto';
import type { Curve, RawSignature, SigningRequest } from '@countersign/chains';
import type { Secret } from '../secret.ts';

/** A key that is ready to sign. */
export interface Signer {
  /** Throws a TypeError for a request that the curve does not have. */
  sign(request: SigningRequest): RawSignature;
  /** Whether the signature fits the request and the public key that the signer was opened with. */
  verify(request: SigningRequest, signature: RawSignature): boolean;
  wipe(): void;
}

/** What the vault does with the private keys of one curve: 32 bytes each. */
export interface CurveKeys {
  isPrivateKey(privateKey: Uint8Array): boolean;
  /** Compressed (33 bytes), or 32 bytes for ed25519. */
  publicKey(privateKey: Uint8Array): Uint8Array;
  /** BIP-32 and SLIP-10: makes a parent's key that of its child, in place. False, with the key spoilt, when the material gives none. */
  addMaterial(privateKey: Uint8Array, material: Uint8Array): boolean;
  /** Takes the secret over: it is wiped when the signer is, or before. */
  open(privateKey: Secret, publicKey: Uint8Array): Signer;
}

/** 32 random bytes that are a private key of the curve, each such key equally likely (rejection sampling). */
export function generatePrivateKey(keys: CurveKeys): Uint8Array {
  const privateKey = new Uint8Array(32);
  do randomFillSync(privateKey);
  while (!keys.isPrivateKey(privateKey));
  return privateKey;
}

/** The error for a request that a key of the curve cannot serve: a mistake in the caller, which checks this before. */
export function unfitRequest(curve: Curve, request: SigningRequest): TypeError {
  return new TypeError(`a key on ${curve} does not serve this request of kind ${request.kind}`);
}

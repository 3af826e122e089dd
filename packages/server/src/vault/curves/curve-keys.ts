import { randomFillSync } from 'node:crypto';
import type { Curve, RawSignature, SigningRequest } from '@countersign/chains';
import type { Secret } from '../keys/secret.ts';

/** A key that is ready to sign. */
export interface Signer {
  /** Throws a TypeError for a request that the curve does not support. */
  sign(request: SigningRequest): RawSignature;
  /** Whether the signature verifies for the request and the public key that the signer was opened with. */
  verify(request: SigningRequest, signature: RawSignature): boolean;
  /** Whether all signatures verify for their requests. Present if a batch is faster. */
  verifyAll?(requests: readonly SigningRequest[], signatures: readonly RawSignature[]): boolean;
  wipe(): void;
}

/** The private keys of one curve, 32 bytes each, and what the vault does with them. */
export interface CurveKeys {
  isPrivateKey(privateKey: Uint8Array): boolean;
  /** Compressed (33 bytes), or 32 bytes for ed25519. */
  publicKey(privateKey: Uint8Array): Uint8Array;
  /** BIP-32 and SLIP-10: turns a parent's key into its child's, in place. False if the material gives no key; the array is then garbage. */
  addMaterial(privateKey: Uint8Array, material: Uint8Array): boolean;
  /** Takes ownership of the secret, and wipes it at the latest when the signer is wiped. */
  open(privateKey: Secret, publicKey: Uint8Array): Signer;
}

/** A random private key of the curve, each equally likely (rejection sampling). */
export function generatePrivateKey(keys: CurveKeys): Uint8Array {
  const privateKey = new Uint8Array(32);
  do randomFillSync(privateKey);
  while (!keys.isPrivateKey(privateKey));
  return privateKey;
}

/** The error for a request that the curve does not support. It is a bug in the caller, which must check first. */
export function unfitRequest(curve: Curve, request: SigningRequest): TypeError {
  return new TypeError(`a key on ${curve} does not serve this request of kind ${request.kind}`);
}

import { createHash } from 'node:crypto';
import type { AuthenticatorRecord } from '@countersign/judgement';
import { compressedCoseKey } from '../webauthn/cose-key.ts';

/** The `nonce` that a token needs for this public key: hex of SHA-256 over the key's hex text, as the client wrote it. */
export function nonceOf(publicKeyHex: string): string {
  return createHash('sha256').update(publicKeyHex, 'ascii').digest('hex');
}

/**
 * The nonces that bind a token to a passkey: those of its credential id in base64url and of its compressed public key in hex, which
 * browsers know. Earlier releases took the COSE key in base64url, which remains valid.
 */
export function passkeyNonces({ credentialId, publicKey }: Pick<AuthenticatorRecord, 'credentialId' | 'publicKey'>): string[] {
  const compressed = compressedCoseKey(Buffer.from(publicKey, 'base64url'));
  return [credentialId, ...(compressed === undefined ? [] : [Buffer.from(compressed).toString('hex')]), publicKey].map(nonceOf);
}

import { createHash } from 'node:crypto';

/** The `nonce` that a token needs for this public key: hex of SHA-256 over the key's hex text, as the client wrote it. */
export function nonceOf(publicKeyHex: string): string {
  return createHash('sha256').update(publicKeyHex, 'ascii').digest('hex');
}

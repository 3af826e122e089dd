import { createHash } from 'node:crypto';

/** What a token's `nonce` must say for it to serve this public key: hex of SHA-256 over the key's hex text, as the client wrote it. */
export function nonceOf(publicKeyHex: string): string {
  return createHash('sha256').update(publicKeyHex, 'ascii').digest('hex');
}

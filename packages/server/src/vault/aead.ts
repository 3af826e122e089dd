import { createCipheriv, createDecipheriv, randomFillSync } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES + TAG_BYTES;

/**
 * AES-256-GCM with a fresh random 96-bit nonce: version byte, nonce, tag, ciphertext.
 * A key may encrypt 2^32 messages before random nonces become a risk (NIST SP 800-38D, 8.3); ours encrypt a few thousand.
 */
export function encrypt(key: Uint8Array, plaintext: Uint8Array, associatedData: string): Uint8Array {
  const sealed = Buffer.alloc(HEADER_BYTES + plaintext.length);
  sealed[0] = VERSION;
  const nonce = randomFillSync(sealed.subarray(1, 1 + NONCE_BYTES));
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(associatedData, 'utf8'));
  sealed.set(cipher.update(plaintext), HEADER_BYTES);
  cipher.final();
  sealed.set(cipher.getAuthTag(), 1 + NONCE_BYTES);
  return sealed;
}

/** The plaintext, or undefined unless `encrypt` made the bytes with this key and this associated data. */
export function decrypt(key: Uint8Array, sealed: Uint8Array, associatedData: string): Uint8Array | undefined {
  if (sealed.length < HEADER_BYTES || sealed[0] !== VERSION) return undefined;
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(1, 1 + NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(associatedData, 'utf8'));
  decipher.setAuthTag(sealed.subarray(1 + NONCE_BYTES, HEADER_BYTES));
  const plaintext = decipher.update(sealed.subarray(HEADER_BYTES));
  try {
    decipher.final();
    return plaintext;
  } catch {
    // In this mode `final` fails for one reason: the tag does not match.
    plaintext.fill(0);
    return undefined;
  }
}

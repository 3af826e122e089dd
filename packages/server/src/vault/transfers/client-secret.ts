import { createDecipheriv, createECDH, createHmac } from 'node:crypto';
import { Secret } from '../keys/secret.ts';

/** Borsh: a nonce, an uncompressed public key, and a vector with its length in 32 bits. */
const NONCE_BYTES = 12;
const KEY_BYTES = 65;
const LENGTH_BYTES = 4;
const HEAD_BYTES = NONCE_BYTES + KEY_BYTES + LENGTH_BYTES;
const TAG_BYTES = 16;
/** The message of the HMAC that existing clients derive the key with. */
const KEY_MESSAGE = 'qos_encryption_hmac_message';

/**
 * Opens an envelope of published clients for OAuth 2 client secrets: ECDH on P-256, HMAC-SHA-512, AES-256-GCM.
 * Undefined if it was encrypted to another key or altered.
 */
export function openClientSecret(privateKey: Secret, receiverPublic: Uint8Array, envelope: Uint8Array): Secret | undefined {
  const bytes = Buffer.from(envelope.buffer, envelope.byteOffset, envelope.length);
  if (bytes.length < HEAD_BYTES + TAG_BYTES) return undefined;
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const sender = bytes.subarray(NONCE_BYTES, NONCE_BYTES + KEY_BYTES);
  const sealed = bytes.subarray(HEAD_BYTES);
  if (bytes.readUInt32LE(NONCE_BYTES + KEY_BYTES) !== sealed.length) return undefined;
  const shared = sharedSecret(privateKey, sender);
  if (shared === undefined) return undefined;
  const macKey = Buffer.concat([sender, receiverPublic, shared]);
  const key = createHmac('sha512', macKey).update(KEY_MESSAGE).digest().subarray(0, 32);
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
    // SECURITY: both public keys are authenticated, each with its length.
    decipher.setAAD(Buffer.concat([sender, Buffer.of(KEY_BYTES), receiverPublic, Buffer.of(KEY_BYTES)]));
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    return new Secret(Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]));
  } catch {
    return undefined;
  } finally {
    for (const secret of [shared, macKey, key]) secret.fill(0);
  }
}

/** The x-coordinate of the shared point. Undefined for bytes that are not an uncompressed point of the curve. */
function sharedSecret(privateKey: Secret, sender: Uint8Array): Buffer | undefined {
  if (sender[0] !== 4) return undefined;
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(privateKey.bytes);
  try {
    return ecdh.computeSecret(sender);
  } catch {
    return undefined;
  }
}

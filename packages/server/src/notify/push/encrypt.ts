import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';

/** Keys of a browser's subscription: an uncompressed P-256 public key and a secret of 16 bytes. */
export interface BrowserKeys {
  readonly p256dh: Uint8Array;
  readonly auth: Uint8Array;
}

/** Ephemeral private key and salt of one message. */
export interface FreshKeys {
  readonly privateKey: Uint8Array;
  readonly salt: Uint8Array;
}

/** Size of the single record. RFC 8030 section 7.2: push services accept bodies of 4096 bytes. */
const RECORD_BYTES = 4_096;
const HEADER_BYTES = 16 + 4 + 1 + 65;
const TAG_BYTES = 16;
/** The delimiter of the last record (RFC 8188 section 2). */
const LAST = 2;

/** Maximum payload size of one message. */
export const MAX_PAYLOAD_BYTES = RECORD_BYTES - HEADER_BYTES - TAG_BYTES - 1;
/** SECURITY: shorter payloads are padded to this length, so that the size reveals nothing about the text to the push service. */
export const PADDED_BYTES = 2_048;

/**
 * Encrypts a push message for one browser (RFC 8291, content encoding aes128gcm of RFC 8188) as a single padded record. Throws if the key
 * is not a point on the curve or the payload is too long.
 */
export function encryptPush(
  payload: Uint8Array,
  { p256dh, auth }: BrowserKeys,
  fresh?: FreshKeys,
  padded = PADDED_BYTES,
): Buffer {
  if (payload.length > MAX_PAYLOAD_BYTES) throw new RangeError(`a push message holds at most ${MAX_PAYLOAD_BYTES} bytes`);
  const own = createECDH('prime256v1');
  if (fresh === undefined) own.generateKeys();
  else own.setPrivateKey(fresh.privateKey);
  const publicKey = own.getPublicKey();
  const salt = fresh?.salt ?? randomBytes(16);

  // RFC 8291 section 3.4. `computeSecret` throws if the point is not on the curve.
  const shared = own.computeSecret(p256dh);
  const keyInfo = Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, publicKey]);
  const secret = Buffer.from(hkdfSync('sha256', shared, auth, keyInfo, 32));
  const derived = (label: string, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, salt, Buffer.from(`Content-Encoding: ${label}\0`), length));

  const cipher = createCipheriv('aes-128-gcm', derived('aes128gcm', 16), derived('nonce', 12));
  const padding = Buffer.alloc(Math.max(0, padded - payload.length));
  const sealed = [payload, Buffer.of(LAST), padding].map((part) => cipher.update(part));
  sealed.push(cipher.final(), cipher.getAuthTag());

  // RFC 8188 section 2.1: salt, record size, length of the key id, key id.
  const header = Buffer.alloc(5);
  header.writeUInt32BE(RECORD_BYTES);
  header.writeUInt8(publicKey.length, 4);
  return Buffer.concat([salt, header, publicKey, ...sealed]);
}

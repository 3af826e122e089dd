import { hash } from 'node:crypto';

const DIGEST_BYTES = 32;

/** SHA-256 by OpenSSL. What parsers take for ids and for what they have signed. */
export function sha256(bytes: Uint8Array): Uint8Array {
  // A digest as text is cheaper than one in a buffer of its own, even with the copy.
  const characters = hash('sha256', bytes, 'binary');
  const digest = new Uint8Array(DIGEST_BYTES);
  for (let at = 0; at < DIGEST_BYTES; at++) digest[at] = characters.charCodeAt(at);
  return digest;
}

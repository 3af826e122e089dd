import { TlogError } from './errors.ts';

const encoder = new TextEncoder();
// Without ignoreBOM the decoder would drop a byte order mark in silence.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Whether a text has no half of a surrogate pair, which has no UTF-8. Most texts hold no surrogate at all, and that is quick to see. */
export function isWellFormed(text: string): boolean {
  // With the u flag, \p{Surrogate} matches only a surrogate that has no partner.
  return !/[\ud800-\udfff]/.test(text) || !/\p{Surrogate}/u.test(text);
}

/** The UTF-8 bytes of a text. Throws TlogError for half of a surrogate pair, which has no UTF-8. */
export function utf8Bytes(text: string): Uint8Array {
  if (!isWellFormed(text)) throw new TlogError('the text holds half of a surrogate pair');
  return encoder.encode(text);
}

/** The text of UTF-8 bytes. Throws TlogError for bytes that are not UTF-8. */
export function utf8Text(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    // The decoder throws for nothing else.
    throw new TlogError('the text is not valid UTF-8');
  }
}

/** RFC 4648 section 4, with padding. */
export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** The bytes of base64 text, or undefined. Only the one canonical spelling of the bytes is read. */
export function fromBase64(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return undefined;
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    // atob throws for malformed base64 only.
    return undefined;
  }
  // SECURITY: atob ignores the unused bits before the padding, so several texts would stand for one signature.
  return btoa(binary) === text ? Uint8Array.from(binary, (character) => character.charCodeAt(0)) : undefined;
}

/** Whether both hold the same bytes. For public values: the time it takes depends on them. */
export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false;
  for (let at = 0; at < left.length; at++) if (left[at] !== right[at]) return false;
  return true;
}

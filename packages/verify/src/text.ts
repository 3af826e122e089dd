import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { AuditError } from './audit-error.ts';

const encoder = new TextEncoder();
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The bytes of a text in UTF-8. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** SHA-256 of a text in lower-case hex. */
export function digestOfText(text: string): string {
  return bytesToHex(sha256(utf8(text)));
}

/** What a leaf commits to of a value: SHA-256 over its JSON. */
export function digestOf(value: unknown): string {
  return value === undefined || value === null ? '' : digestOfText(JSON.stringify(value));
}

/** Bytes from lower-case hex. INVARIANT: bytes have one text, so that no letter of a file can change without an error. */
export function fromHex(text: string, what: string): Uint8Array {
  if (!/^(?:[0-9a-f]{2})*$/.test(text)) throw new AuditError(`${what} is not in lower-case hexadecimal`);
  return hexToBytes(text);
}

/** Bytes from base64url without padding (RFC 4648 section 5). Stray bits in the last letter are refused. */
export function fromBase64Url(text: string, what: string): Uint8Array {
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let bits = 0;
  let held = 0;
  let at = 0;
  for (const letter of text) {
    const value = alphabet.indexOf(letter);
    if (value < 0) throw new AuditError(`${what} is not base64url`);
    held = ((held << 6) | value) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = (held >> bits) & 0xff;
  }
  if (text.length % 4 === 1 || (held & ((1 << bits) - 1)) !== 0) throw new AuditError(`${what} is not canonical base64url`);
  return bytes;
}

/** Unpadded base64url of bytes. */
export function toBase64Url(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const part = bytes.subarray(at, at + 3);
    const word = ((part[0] ?? 0) << 16) | ((part[1] ?? 0) << 8) | (part[2] ?? 0);
    for (let letter = 0; letter <= part.length; letter++) text += alphabet[(word >> (18 - 6 * letter)) & 63];
  }
  return text;
}

/** Whether two values are the same as JSON. The order of members does not matter, and absent ones count as undefined. */
export function sameJson(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([x], [y]) => (x < y ? -1 : 1)))
      : inner,
  );
}

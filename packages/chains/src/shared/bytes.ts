import { bytesToHex } from '@noble/hashes/utils.js';

/** Lower-case hex with `0x`, the form that policies, descriptions and messages use. */
export function toHex(bytes: Uint8Array): string {
  return `0x${bytesToHex(bytes)}`;
}

/** The value of each hex digit by its character code, and -1 for other ASCII characters. */
const digitValues = Int8Array.from({ length: 128 }, (_, code) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase()),
);

/** The bytes of hex digits without a prefix. Undefined unless they are whole bytes of hex digits. */
export function fromHexDigits(digits: string): Uint8Array | undefined {
  if (digits.length % 2 !== 0) return undefined;
  const bytes = new Uint8Array(digits.length / 2);
  for (let index = 0; index < bytes.length; index++) {
    const high = digits.charCodeAt(2 * index);
    const low = digits.charCodeAt(2 * index + 1);
    if (high > 127 || low > 127) return undefined;
    const byte = ((digitValues[high] as number) << 4) | (digitValues[low] as number);
    // One digit of -1 makes the whole negative.
    if (byte < 0) return undefined;
    bytes[index] = byte;
  }
  return bytes;
}

/** The text after a leading `0x` or `0X`, or the text itself. */
export function withoutPrefix(text: string): string {
  return text.startsWith('0x') || text.startsWith('0X') ? text.slice(2) : text;
}

/** Concatenates all parts. Takes a list, because a call with very many arguments overflows the stack. */
export function concat(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const joined = new Uint8Array(length);
  let position = 0;
  for (const part of parts) {
    joined.set(part, position);
    position += part.length;
  }
  return joined;
}

/** One character for each byte: a short text that stands for the bytes in a map. Not for long bytes, which overflow the stack. */
export function toKey(bytes: Uint8Array): string {
  // Spreading would walk an iterator, at five times the cost.
  return String.fromCharCode.apply(null, bytes as unknown as number[]);
}

const HEX = /^(?:[0-9a-fA-F]{2})+$/;

/** The bytes of a hex text: an even number of digits in either case. Undefined for anything else, including the empty text. */
export function fromStrictHex(text: string): Uint8Array | undefined {
  return HEX.test(text) ? Buffer.from(text, 'hex') : undefined;
}

/**
 * The bytes of an unpadded base64url text (RFC 4648 section 5). Undefined for anything else, including the empty text.
 * SECURITY: accepts only the one canonical text of the bytes: no padding, no white space, no stray bits in the last letter.
 */
export function fromStrictBase64Url(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length > 0 && bytes.toString('base64url') === text ? bytes : undefined;
}

/** Strips the padding of RFC 4648 section 3.2 if it has the correct length. Otherwise returns the text unchanged. */
export function withoutPadding(text: string): string {
  return text.length % 4 === 0 ? text.replace(/={1,2}$/, '') : text;
}

const HEX = /^(?:[0-9a-fA-F]{2})+$/;

/** The bytes of a hex text with an even number of digits of either case; undefined for anything else, the empty text included. */
export function fromStrictHex(text: string): Uint8Array | undefined {
  return HEX.test(text) ? Buffer.from(text, 'hex') : undefined;
}

/**
 * The bytes of an unpadded base64url text (RFC 4648 section 5); undefined for anything else, the empty text included.
 * SECURITY: only the one text that encodes the bytes is taken: no padding, no white space, no stray bits in the last letter.
 */
export function fromStrictBase64Url(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length > 0 && bytes.toString('base64url') === text ? bytes : undefined;
}

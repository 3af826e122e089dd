/** 32-bit words of a replay key. */
export const KEY_WORDS = 4;
export const KEY_BYTES = KEY_WORDS * Uint32Array.BYTES_PER_ELEMENT;

/**
 * Writes the replay key of an activity: the first bits of its fingerprint, `sha256:<hex>`, XORed with those of the organization's id,
 * which is a UUID. The same body may be executed in several organizations. A key of zeros means none.
 */
export function writeReplayKey(keys: Uint32Array, at: number, organizationId: string, fingerprint: string): void {
  const start = 'sha256:'.length;
  for (let index = 0; index < KEY_WORDS; index++) keys[at + index] = bitsAt(fingerprint, start + index * 8, 8);
  // 8-4-4-4-12
  turn(keys, at, bitsAt(organizationId, 0, 8));
  turn(keys, at + 1, (bitsAt(organizationId, 9, 4) << 16) | bitsAt(organizationId, 14, 4));
  turn(keys, at + 2, (bitsAt(organizationId, 19, 4) << 16) | bitsAt(organizationId, 24, 4));
  turn(keys, at + 3, bitsAt(organizationId, 28, 8));
}

function turn(keys: Uint32Array, at: number, by: number): void {
  keys[at] = (keys[at] as number) ^ by;
}

/** Parses hexadecimal digits. Each request needs dozens, and `parseInt` would allocate a string for each. */
function bitsAt(text: string, at: number, digits: number): number {
  let bits = 0;
  for (let index = at; index < at + digits; index++) {
    const code = text.charCodeAt(index);
    // The low bits of 0 to 9 are their value, and those of letters, in either case, are 1 to 6.
    bits = (bits << 4) | ((code & 15) + (code >> 6) * 9);
  }
  return bits;
}

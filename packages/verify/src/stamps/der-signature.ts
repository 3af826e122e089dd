/**
 * Reads `SEQUENCE { INTEGER r, INTEGER s }` in DER (X.690) as 64 bytes, r then s. Undefined for anything but the one canonical form.
 * SECURITY: with a second encoding of a signature, a changed file would still verify.
 */
export function readDerSignature(der: Uint8Array): Uint8Array | undefined {
  if (der[0] !== 0x30 || der[1] !== der.length - 2) return undefined;
  const compact = new Uint8Array(64);
  let at = 2;
  for (const start of [0, 32]) {
    const length = der[at + 1];
    if (der[at] !== 0x02 || length === undefined || length === 0 || at + 2 + length > der.length) return undefined;
    const bytes = der.subarray(at + 2, at + 2 + length);
    const first = bytes[0] as number;
    // Neither negative nor padded.
    if (first >= 0x80 || (first === 0 && (length === 1 || (bytes[1] as number) < 0x80))) return undefined;
    const magnitude = first === 0 ? bytes.subarray(1) : bytes;
    if (magnitude.length > 32) return undefined;
    compact.set(magnitude, start + 32 - magnitude.length);
    at += 2 + length;
  }
  return at === der.length ? compact : undefined;
}

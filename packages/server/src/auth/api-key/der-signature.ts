/** The orders of the ECDSA groups, as 32 bytes (SEC 2, sections 2.4.1 and 2.4.2). */
export const groupOrders = {
  P256: Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex'),
  SECP256K1: Buffer.from('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', 'hex'),
} as const;

/**
 * Reads `SEQUENCE { INTEGER r, INTEGER s }` in DER (X.690) as 64 bytes, r then s. Undefined for anything but the one canonical form:
 * long-form or padded lengths, negative or padded integers, bytes after the end, r or s outside [1, order - 1].
 */
export function readDerSignature(der: Uint8Array, order: Uint8Array): Uint8Array | undefined {
  // Two integers of at most 33 bytes fit into 70 bytes, so no length needs the long form.
  if (der[0] !== 0x30 || der[1] !== der.length - 2) return undefined;
  // Allocated from Node's pool: a separate allocation costs more than the parsing, and every request has a stamp.
  const compact = Buffer.allocUnsafe(64);
  const sStart = readInteger(der, 2, compact, 0, order);
  if (sStart === undefined) return undefined;
  const end = readInteger(der, sStart, compact, 32, order);
  return end === der.length ? compact : undefined;
}

/** Writes the integer at `start` into 32 bytes of `target`, right-aligned. Returns its end. */
function readInteger(der: Uint8Array, start: number, target: Buffer, offset: number, order: Uint8Array): number | undefined {
  const length = der[start + 1];
  const first = der[start + 2];
  if (der[start] !== 0x02 || length === undefined || first === undefined) return undefined;
  const end = start + 2 + length;
  if (length === 0 || end > der.length || first >= 0x80) return undefined;
  // There is a leading zero exactly when the number would otherwise look negative.
  const isPadded = first === 0 && length > 1;
  if (isPadded && (der[start + 3] ?? 0) < 0x80) return undefined;
  const from = isPadded ? start + 3 : start + 2;
  const zeros = 32 - (end - from);
  if (zeros < 0) return undefined;
  let isZero = true;
  // The first byte that differs from the order's decides which number is smaller.
  let difference = 0;
  for (let at = 0; at < 32; at++) {
    const byte = at < zeros ? 0 : (der[from + at - zeros] as number);
    target[offset + at] = byte;
    if (byte !== 0) isZero = false;
    if (difference === 0) difference = byte - (order[at] as number);
  }
  return !isZero && difference < 0 ? end : undefined;
}

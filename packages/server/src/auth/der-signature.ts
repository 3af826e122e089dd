/** The orders of the ECDSA groups, as 32 bytes (SEC 2, sections 2.4.1 and 2.4.2). */
export const groupOrders = {
  P256: Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex'),
  SECP256K1: Buffer.from('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', 'hex'),
} as const;

const ZERO = Buffer.alloc(32);

/**
 * Reads `SEQUENCE { INTEGER r, INTEGER s }` in DER (X.690) as 64 bytes, r then s. Undefined for anything but the one canonical form:
 * long-form or padded lengths, negative or padded integers, bytes after the end, r or s outside [1, order - 1].
 */
export function readDerSignature(der: Uint8Array, order: Uint8Array): Uint8Array | undefined {
  // Two integers of at most 33 bytes fit into 70 bytes, so no length needs the long form.
  if (der[0] !== 0x30 || der[1] !== der.length - 2) return undefined;
  const compact = new Uint8Array(64);
  const sStart = readInteger(der, 2, compact.subarray(0, 32), order);
  if (sStart === undefined) return undefined;
  const end = readInteger(der, sStart, compact.subarray(32), order);
  return end === der.length ? compact : undefined;
}

/** Writes the integer at `start` into `target`, right-aligned. Returns its end. */
function readInteger(der: Uint8Array, start: number, target: Uint8Array, order: Uint8Array): number | undefined {
  const length = der[start + 1];
  const first = der[start + 2];
  if (der[start] !== 0x02 || length === undefined || first === undefined) return undefined;
  const end = start + 2 + length;
  if (length === 0 || end > der.length || first >= 0x80) return undefined;
  // There is a leading zero exactly when the number would otherwise look negative.
  const isPadded = first === 0 && length > 1;
  if (isPadded && (der[start + 3] ?? 0) < 0x80) return undefined;
  const digits = der.subarray(isPadded ? start + 3 : start + 2, end);
  if (digits.length > 32) return undefined;
  target.set(digits, 32 - digits.length);
  const inRange = Buffer.compare(target, ZERO) > 0 && Buffer.compare(target, order) < 0;
  return inRange ? end : undefined;
}

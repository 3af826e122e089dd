const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** An uncompressed point in its compressed form, hexadecimal (SEC 1 section 2.3.3). */
export function compressedPoint(point: Uint8Array): string {
  const isOdd = (point[64] ?? 0) % 2 === 1;
  return `${isOdd ? '03' : '02'}${hex(point.subarray(1, 33))}`;
}

/** An ECDSA signature r || s as DER (RFC 3279 section 2.2.3), hexadecimal. */
export function derSignature(signature: Uint8Array): string {
  const half = signature.length / 2;
  const body = derInteger(signature.subarray(0, half)) + derInteger(signature.subarray(half));
  return `30${lengthOf(body)}${body}`;
}

/** X.690 section 8.3: as few bytes as possible, with a leading zero if the first bit is set. */
function derInteger(bytes: Uint8Array): string {
  const first = bytes.findIndex((byte) => byte !== 0);
  const short = hex(bytes.subarray(first === -1 ? bytes.length - 1 : first));
  const value = Number.parseInt(short.slice(0, 2), 16) >= 0x80 ? `00${short}` : short;
  return `02${lengthOf(value)}${value}`;
}

const lengthOf = (body: string) => (body.length / 2).toString(16).padStart(2, '0');

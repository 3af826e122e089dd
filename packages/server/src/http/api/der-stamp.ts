/** An ECDSA signature in DER (X.690), as stamps have it, from r and s of 32 bytes each. */
export function derSignature(compact: Uint8Array): Uint8Array {
  const content = [compact.subarray(0, 32), compact.subarray(32)].flatMap(integer);
  return Uint8Array.from([0x30, content.length, ...content]);
}

/** Without leading zeros, but for one where the number would otherwise look negative. */
function integer(bytes: Uint8Array): number[] {
  const start = bytes.findIndex((byte) => byte !== 0);
  const digits = [...bytes.subarray(start)];
  const content = (digits[0] as number) < 0x80 ? digits : [0, ...digits];
  return [0x02, content.length, ...content];
}

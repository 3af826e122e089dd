/** What a request names its key by: an address, or the id of a private key. */
export function signerNameOf({ signWith, signWiths, from, privateKeyId }: Readonly<Record<string, unknown>>): string {
  const [only, ...others] = Array.isArray(signWiths) ? (signWiths as unknown[]) : [];
  return String(signWith ?? from ?? privateKeyId ?? (others.length === 0 ? only : undefined) ?? '');
}

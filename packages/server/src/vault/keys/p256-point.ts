import { ECDH } from 'node:crypto';

/** A P-256 public key in its uncompressed form, 65 bytes, from either form. Throws for bytes that are not a point, and for infinity. */
export function uncompressed(publicKey: Uint8Array): Uint8Array {
  return convert(publicKey, 'uncompressed');
}

/** The compressed form, 33 bytes, from either form. Throws like `uncompressed`. */
export function compressed(publicKey: Uint8Array): Uint8Array {
  return convert(publicKey, 'compressed');
}

/** SEC 1, section 2.3.4, by OpenSSL. It also accepts the hybrid forms and infinity, which no client sends. */
function convert(publicKey: Uint8Array, form: 'compressed' | 'uncompressed'): Uint8Array {
  const [kind] = publicKey;
  const isEither = publicKey.length === 33 ? kind === 0x02 || kind === 0x03 : publicKey.length === 65 && kind === 0x04;
  if (!isEither) throw new Error('a P-256 public key has 33 bytes from 02 or 03 on, or 65 from 04 on');
  return new Uint8Array(ECDH.convertKey(publicKey, 'prime256v1', undefined, undefined, form) as Buffer);
}

import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { Curve } from '../curve.ts';
import { ChainError } from '../errors.ts';
import { toKey } from '../shared/bytes.ts';
import { Memo } from '../shared/memo.ts';

/** A public key that is known to be a point on its curve, in the encodings that address formats use. */
export interface PublicKey {
  readonly curve: Curve;
  /** SEC 1 compressed (33 bytes) for secp256k1 and P-256, RFC 8032 (32 bytes) for ed25519. */
  readonly compressed: Uint8Array;
  /** SEC 1 uncompressed (65 bytes); for ed25519, which has no such form, the same 32 bytes. */
  readonly uncompressed: Uint8Array;
}

const readers: Readonly<Record<Curve, (bytes: Uint8Array) => Omit<PublicKey, 'curve'>>> = {
  CURVE_SECP256K1: (bytes) => bothForms(secp256k1.Point.fromBytes(bytes)),
  CURVE_P256: (bytes) => bothForms(p256.Point.fromBytes(bytes)),
  CURVE_ED25519: (bytes) => {
    const point = ed25519.Point.fromBytes(bytes);
    // SECURITY: anyone can forge a signature for a point of small order without a secret.
    if (point.isSmallOrder()) throw new Error('small order');
    const compressed = point.toBytes();
    return { compressed, uncompressed: compressed };
  },
};

function bothForms(point: { toBytes(compressed: boolean): Uint8Array }): Omit<PublicKey, 'curve'> {
  return { compressed: point.toBytes(true), uncompressed: point.toBytes(false) };
}

/** Keys already read. Finding a point's y costs more than parsing a transaction, and a service often signs with the same keys. */
const known = new Memo<PublicKey>(10_000);

/**
 * Reads a public key of the given curve: 33 or 65 bytes for secp256k1 and P-256, 32 bytes for ed25519.
 * The same bytes give the same object; callers must not change it.
 * Throws ChainError INVALID_PUBLIC_KEY for another length, a hybrid prefix, or a point off the curve or of small order.
 */
export function parsePublicKey(curve: Curve, bytes: Uint8Array): PublicKey {
  // 66 bytes are too long for any key.
  const name = `${curve}:${toKey(bytes.length > 66 ? bytes.subarray(0, 66) : bytes)}`;
  return known.get(name, () => Object.freeze({ curve, ...readPoint(curve, bytes) }));
}

function readPoint(curve: Curve, bytes: Uint8Array): Omit<PublicKey, 'curve'> {
  try {
    return readers[curve](bytes);
  } catch {
    // Every failure here means the same to a caller: these bytes are not a key of this curve.
    throw new ChainError('INVALID_PUBLIC_KEY', `these ${bytes.length} bytes are not a public key of ${curve}`);
  }
}

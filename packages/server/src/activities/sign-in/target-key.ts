import { WEAK_KEY } from '../../auth/api-key/public-key.ts';
import { isWeakKey } from '../../auth/api-key/weak-keys.ts';
import { uncompressed } from '../../vault/keys/p256-point.ts';
import { invalidField } from '../../wire/refuse.ts';

/**
 * D31: reads the P-256 key to encrypt to, and returns it uncompressed. `field` is its path in the parameters. Rejects bytes that are not a
 * point on the curve. Infinity has no accepted encoding, and the curve has no points of low order.
 */
export function readTargetKey(publicKeyHex: string, field: string): Uint8Array {
  const target = readPoint(publicKeyHex, field);
  // SECURITY: D284: everyone could decrypt a bundle to such a key.
  if (isWeakKey(target, 'API_KEY_CURVE_P256')) throw invalidField(field, WEAK_KEY);
  return target;
}

function readPoint(publicKeyHex: string, field: string): Uint8Array {
  try {
    return uncompressed(Buffer.from(publicKeyHex, 'hex'));
  } catch {
    // SECURITY: do not forward the library's message. It repeats the bytes, which may be a secret in the wrong field.
    throw invalidField(field, 'is not a point of the curve P-256: send the public half of a key pair that was made for it');
  }
}

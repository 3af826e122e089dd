import { uncompressed } from '../../vault/p256-point.ts';
import { invalidField } from '../../wire/refuse.ts';

/**
 * D31: the P-256 key that something is to be encrypted to, uncompressed. `field` is its path in the parameters. Refuses what is no point
 * of the curve; infinity has no form that is accepted, and the curve no points of low order.
 */
export function readTargetKey(publicKeyHex: string, field: string): Uint8Array {
  try {
    return uncompressed(Buffer.from(publicKeyHex, 'hex'));
  } catch {
    // SECURITY: the library's message repeats the bytes, which may be a secret in the wrong place.
    throw invalidField(field, 'is not a point of the curve P-256: send the public half of a key pair that was made for it');
  }
}

import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { uncompressed } from '../../vault/keys/p256-point.ts';

/** A P-256 public key to verify with, from its hexadecimal form, compressed or not. Throws for a point off the curve. */
export function p256Key(publicKeyHex: string): KeyObject {
  const point = Buffer.from(uncompressed(Buffer.from(publicKeyHex, 'hex')));
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
  return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y } as JsonWebKey, format: 'jwk' });
}

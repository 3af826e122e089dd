import { p256 } from '@noble/curves/nist.js';
import { bytesToHex } from '@noble/hashes/utils.js';

/** A key pair for one response: the service encrypts to the public half. Hexadecimal; the public half is uncompressed. */
export interface TargetKey {
  readonly targetPublicKey: string;
  readonly targetPrivateKey: string;
}

/** A fresh P-256 key pair from the platform's random source. Use it once, then discard it. */
export function generateTargetKey(): TargetKey {
  const privateKey = p256.utils.randomSecretKey();
  return { targetPublicKey: bytesToHex(p256.getPublicKey(privateKey, false)), targetPrivateKey: bytesToHex(privateKey) };
}

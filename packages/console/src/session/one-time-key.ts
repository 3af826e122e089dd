import { ApiKeyStamper } from '@countersign/client';
import { p256 } from '@noble/curves/nist.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';

/** A stamper for the one-time key of a link: a P-256 private key in hexadecimal. Throws for invalid text. */
export function oneTimeStamper(apiPrivateKey: string): { readonly publicKey: string; readonly stamper: ApiKeyStamper } {
  const publicKey = bytesToHex(p256.getPublicKey(hexToBytes(apiPrivateKey), true));
  return { publicKey, stamper: new ApiKeyStamper({ apiPublicKey: publicKey, apiPrivateKey }) };
}

import type { ApiKeyCurve } from '@countersign/contract';
import { bytesToHex } from '@noble/hashes/utils.js';
import { curveKeys } from './stamp-schemes.ts';

/** A new API key. Register the public half with an organization; keep the private half secret. */
export interface GeneratedApiKey {
  readonly apiPublicKey: string;
  readonly apiPrivateKey: string;
  readonly curveType: ApiKeyCurve;
}

/** A fresh key pair in hexadecimal from the platform's random source. */
export function generateApiKey(curveType: ApiKeyCurve = 'API_KEY_CURVE_P256'): GeneratedApiKey {
  const { newPrivateKey, publicKey } = curveKeys[curveType];
  const privateKey = newPrivateKey();
  return { apiPublicKey: bytesToHex(publicKey(privateKey)), apiPrivateKey: bytesToHex(privateKey), curveType };
}

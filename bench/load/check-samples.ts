import { createPublicKey, ECDH, type KeyObject, verify } from 'node:crypto';
import type { Sample } from './drive.ts';

/** Checks the signatures of the samples with OpenSSL, which the service does not use to sign. Throws for an invalid one. */
export function checkSamples(samples: readonly Sample[], publicKeyHex: string): number {
  const key = secp256k1PublicKey(publicKeyHex);
  for (const { payload, body } of samples) {
    const { r, s } = JSON.parse(body).activity.result.activity.result.signRawPayloadResult;
    const signature = Buffer.from(`${r}${s}`, 'hex');
    if (signature.length !== 64 || !verify('sha256', payload, { key, dsaEncoding: 'ieee-p1363' }, signature)) {
      throw new Error(`a signature does not verify:\n${body}`);
    }
  }
  return samples.length;
}

function secp256k1PublicKey(compressedHex: string): KeyObject {
  const point = ECDH.convertKey(compressedHex, 'secp256k1', 'hex', undefined, 'uncompressed') as Buffer;
  return createPublicKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'secp256k1',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    },
  });
}

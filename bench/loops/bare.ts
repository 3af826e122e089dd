import { createECDH, createPublicKey, ECDH, hash, randomBytes, randomUUID, verify } from 'node:crypto';
import { createRequire } from 'node:module';
import { signingBody } from '../signing-request.ts';
import { Stamper } from '../stamper.ts';
import type { Loop } from './loop.ts';

/** Distinct inputs in rotation, so no operation profits from a cache of the previous one. */
const INPUTS = 256;

/**
 * The lower bound: only the cryptography that no design can leave out of a signing request. One P-256 verification of a stamp
 * with a parsed key, one SHA-256 over a body of typical size, one native secp256k1 signature.
 */
export function bareLoops(): readonly Loop[] {
  // The addon that the service signs with, resolved as the service does. Without it there is no native bound to compare with.
  const require = createRequire(new URL('../../packages/server/package.json', import.meta.url));
  const k1: typeof import('secp256k1') = require('secp256k1/bindings.js');
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  const apiKey = {
    apiPublicKey: pair.getPublicKey('hex', 'compressed'),
    apiPrivateKey: pair.getPrivateKey('hex').padStart(64, '0'),
  };
  const stamper = new Stamper(apiKey);
  const point = ECDH.convertKey(apiKey.apiPublicKey, 'prime256v1', 'hex', undefined, 'uncompressed') as Buffer;
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
  const key = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } });
  const target = { organizationId: randomUUID(), privateKeyId: randomUUID() };
  const inputs = Array.from({ length: INPUTS }, () => {
    const body = signingBody(target, randomBytes(32).toString('hex'), Date.now());
    return { body: Buffer.from(body), signature: stamper.sign(body) };
  });
  const digests = inputs.map(({ body }) => hash('sha256', body, 'buffer'));
  const secret = randomBytes(32);

  return [
    {
      name: 'bare',
      once(index) {
        const { body, signature } = inputs[index % INPUTS] as (typeof inputs)[number];
        if (!verify('sha256', body, key, signature)) throw new Error('a stamp did not verify');
        k1.ecdsaSign(hash('sha256', body, 'buffer'), secret);
      },
    },
    {
      name: 'bare sign',
      once(index) {
        k1.ecdsaSign(digests[index % INPUTS] as Buffer, secret);
      },
    },
  ];
}

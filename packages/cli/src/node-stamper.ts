import { createECDH, createPrivateKey, type JsonWebKey, type KeyObject, sign } from 'node:crypto';
import type { Stamp, Stamper, StampScheme } from '@countersign/client';

/** A key pair of Node. */
interface NodeKey {
  readonly scheme: StampScheme;
  readonly publicKey: string;
  readonly key: KeyObject;
}

/** RFC 8410: the DER form of an Ed25519 private key without its 32 bytes. */
const ED25519_PREFIX = '302e020100300506032b657004220420';

/**
 * Stamps with an API key, as ApiKeyStamper does, but with the cryptography of Node: loading and running the portable code takes longer than
 * the rest of a command. Undefined for other keys than P-256 and Ed25519, and if the two halves do not match.
 */
export function nodeStamper(apiPublicKey: string, apiPrivateKey: string): Stamper | undefined {
  // SECURITY: no message contains the private key, also not those of the system's cryptography.
  if (!/^[0-9a-fA-F]{64}$/.test(apiPrivateKey)) return undefined;
  const secret = Buffer.from(apiPrivateKey, 'hex');
  const wanted = apiPublicKey.toLowerCase();
  const found = [p256Key, ed25519Key].map((read) => read(secret)).find((each) => each?.publicKey === wanted);
  if (found === undefined) return undefined;
  const { scheme, publicKey, key } = found;
  return {
    async stamp(body): Promise<Stamp> {
      const digest = scheme === 'SIGNATURE_SCHEME_TK_API_P256' ? 'sha256' : null;
      const signature = sign(digest, Buffer.from(body, 'utf8'), key).toString('hex');
      const stamp = JSON.stringify({ publicKey, scheme, signature });
      return { stampHeaderName: 'X-Stamp', stampHeaderValue: Buffer.from(stamp, 'utf8').toString('base64url') };
    },
  };
}

function p256Key(secret: Buffer): NodeKey | undefined {
  const pair = createECDH('prime256v1');
  try {
    pair.setPrivateKey(secret);
  } catch {
    // Zero, or beyond the order of the curve. It may be a key of another curve.
    return undefined;
  }
  const point = pair.getPublicKey();
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'));
  const jwk = { kty: 'EC', crv: 'P-256', d: secret.toString('base64url'), x, y } as JsonWebKey;
  return {
    scheme: 'SIGNATURE_SCHEME_TK_API_P256',
    publicKey: pair.getPublicKey('hex', 'compressed'),
    key: createPrivateKey({ key: jwk, format: 'jwk' }),
  };
}

function ed25519Key(secret: Buffer): NodeKey {
  const der = Buffer.concat([Buffer.from(ED25519_PREFIX, 'hex'), secret]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const { x = '' } = key.export({ format: 'jwk' });
  return { scheme: 'SIGNATURE_SCHEME_TK_API_ED25519', publicKey: Buffer.from(x, 'base64url').toString('hex'), key };
}

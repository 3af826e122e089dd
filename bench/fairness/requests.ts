import { createECDH, createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { SIGNING_PATH, type SigningTarget, signingBody } from '../signing-request.ts';
import { type ApiKey, Stamper } from '../stamper.ts';

/** A user who sends requests. */
export type Sender = { readonly organizationId: string } & ApiKey;

let lastMs = Date.now();

/** A whole HTTP request. Without a stamper it has no stamp. */
export function httpRequest(path: string, body: string, stamp?: string): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: bench',
    'Content-Type: application/json',
    ...(stamp === undefined ? [] : [`X-Stamp: ${stamp}`]),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`, 'latin1');
}

/** Signatures of distinct payloads. */
export function signatures(target: SigningTarget & ApiKey, count: number): Buffer[] {
  const stamper = new Stamper(target);
  return Array.from({ length: count }, () => {
    const body = signingBody(target, randomBytes(32).toString('hex'), ++lastMs);
    return httpRequest(SIGNING_PATH, body, stamper.stamp(body));
  });
}

/** Activities of one kind. */
export function submits(sender: Sender, path: string, type: string, count: number, parameters: () => object): Buffer[] {
  const stamper = new Stamper(sender);
  const { organizationId } = sender;
  return Array.from({ length: count }, () => {
    const body = JSON.stringify({ type, timestampMs: String(++lastMs), organizationId, parameters: parameters() });
    return httpRequest(`/public/v1/submit/${path}`, body, stamper.stamp(body));
  });
}

export function query(sender: Sender, path: string, fields: object): Buffer {
  const body = JSON.stringify({ organizationId: sender.organizationId, ...fields });
  return httpRequest(`/public/v1/query/${path}`, body, new Stamper(sender).stamp(body));
}

/** Users with 900 ed25519 keys: as many as fit. */
export function manyKeys(): object {
  const publicKey = () =>
    generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
  const apiKeys = () =>
    Array.from({ length: 10 }, (_, index) => ({
      apiKeyName: `Key ${index}`,
      publicKey: publicKey(),
      curveType: 'API_KEY_CURVE_ED25519',
    }));
  return {
    users: Array.from({ length: 90 }, (_, index) => ({
      userName: `User ${index}`,
      apiKeys: apiKeys(),
      authenticators: [],
      oauthProviders: [],
      userTags: [],
    })),
  };
}

/** A request whose stamp names a key and does not verify. */
export function badStamp({ organizationId }: Sender): Buffer {
  const body = JSON.stringify({ organizationId, nothing: createHash('sha256').update(randomBytes(8)).digest('hex') });
  const stamper = new Stamper(newApiKey());
  return httpRequest('/public/v1/query/whoami', body, stamper.stamp(`${body} `));
}

export function newApiKey(): ApiKey {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  return {
    apiPublicKey: pair.getPublicKey('hex', 'compressed'),
    apiPrivateKey: pair.getPrivateKey('hex').padStart(64, '0'),
  };
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CompactSign, type CryptoKey, exportJWK, generateKeyPair, type JWK } from 'jose';

export const DISCOVERY_PATH = '/.well-known/openid-configuration';
export const KEYS_PATH = '/keys';
export const CLIENT_ID = 'client-1';

export interface SigningKey {
  readonly alg: string;
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

let serial = 0;

export async function newSigningKey(alg = 'ES256'): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const kid = `key-${++serial}`;
  return { alg, kid, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** An issuer on loopback that signs and answers whatever a test wants, right or wrong. It records requests. */
export class TestIssuer {
  readonly url: string;
  /** The requested paths, in order. */
  readonly requests: string[] = [];
  /** The published keys. `token` signs with the last one. */
  keys: SigningKey[];
  /** Replaces the valid answer of a path. */
  readonly answers = new Map<string, Handler>();
  private readonly server: ReturnType<typeof createServer>;

  private constructor(server: ReturnType<typeof createServer>, key: SigningKey) {
    this.server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.keys = [key];
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const path = request.url ?? '';
      this.requests.push(path);
      (this.answers.get(path) ?? ((_, answer) => this.answerHonestly(path, answer)))(request, response);
    });
  }

  static async start(): Promise<TestIssuer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new TestIssuer(server, await newSigningKey());
  }

  get newestKey(): SigningKey {
    const key = this.keys.at(-1);
    if (key === undefined) throw new Error('the issuer has no key');
    return key;
  }

  get discovery(): Record<string, unknown> {
    return { issuer: this.url, jwks_uri: this.url + KEYS_PATH };
  }

  /** Valid claims with the test's changes. undefined leaves a claim out. */
  claims(more: Record<string, unknown> = {}): Record<string, unknown> {
    const now = Math.floor(Date.now() / 1000);
    return { iss: this.url, sub: 'person-1', aud: CLIENT_ID, iat: now, exp: now + 600, ...more };
  }

  /** A token over valid claims with the given changes, signed with the newest key by default. */
  async token(more: Record<string, unknown> = {}, header: Record<string, unknown> = {}, key = this.newestKey): Promise<string> {
    const payload = new TextEncoder().encode(JSON.stringify(this.claims(more)));
    const { alg, kid } = key;
    return new CompactSign(payload)
      .setProtectedHeader({ alg, kid, typ: 'JWT', ...header } as { alg: string })
      .sign(key.privateKey);
  }

  /** Replaces the published keys with a new one and signs with it. */
  async rotate(): Promise<void> {
    this.keys = [await newSigningKey()];
  }

  answerJson(path: string, body: unknown): void {
    this.answers.set(path, (_, response) => sendJson(response, body));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answerHonestly(path: string, response: ServerResponse): void {
    if (path === DISCOVERY_PATH) sendJson(response, this.discovery);
    else if (path === KEYS_PATH) sendJson(response, { keys: this.keys.map(({ publicJwk }) => publicJwk) });
    else response.writeHead(404).end();
  }
}

function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** A compact token with arbitrary parts, signature included. */
export function forgedToken(header: object, claims: object, signature: Uint8Array = new Uint8Array(64)): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part(header)}.${part(claims)}.${Buffer.from(signature).toString('base64url')}`;
}

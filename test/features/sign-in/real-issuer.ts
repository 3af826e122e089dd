import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { Provider } from 'oidc-provider';

export const REAL_CLIENT_ID = 'wallet-app';
/** A client with a secret, as OAuth 2 credentials have it. */
export const CONFIDENTIAL = { clientId: 'server-app', clientSecret: 'a secret: 100% & +more' } as const;
export const REDIRECT_URI = 'http://127.0.0.1/callback';
/** RFC 8252 section 7.3: the port of a loopback address does not count. */
const CONSOLE_URI = 'http://localhost/console/';

/** A certified OpenID Connect server on loopback. People sign in to it with the authorization code flow. */
export interface RealIssuer {
  readonly url: string;
  /** Who signs in where a request does not hint at somebody. */
  person: string;
  /** The requested paths. */
  readonly requests: readonly string[];
  /** Signs a person in and returns the ID token for the client's code. */
  idToken(person: string, nonce: string): Promise<string>;
  /** Signs a person in at the client with a secret, and returns the code that their browser brings back. */
  code(person: string, verifier: string): Promise<string>;
  /** Restarts with a new key instead of the old one. */
  rotate(): Promise<void>;
  close(): Promise<void>;
}

export async function startRealIssuer(algorithm: 'RS256' | 'ES256' = 'RS256'): Promise<RealIssuer> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const requests: string[] = [];
  let provider = await newProvider(url, algorithm);
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    requests.push(request.url ?? '');
    if (request.url?.startsWith('/interaction/')) return void finishInteraction(provider, request, response, issuer.person);
    void provider.callback()(request, response);
  });
  const issuer: RealIssuer = {
    url,
    person: 'somebody',
    requests,
    async idToken(person, nonce) {
      const verifier = randomBytes(32).toString('base64url');
      const code = await authorize(url, { clientId: REAL_CLIENT_ID, person, nonce, verifier });
      const response = await fetch(`${url}/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          client_id: REAL_CLIENT_ID,
          redirect_uri: REDIRECT_URI,
          code,
          code_verifier: verifier,
        }),
      });
      const { id_token: token } = (await response.json()) as { id_token?: string };
      if (token === undefined) throw new Error(`the issuer gave no ID token: ${response.status}`);
      return token;
    },
    code: (person, verifier) => authorize(url, { clientId: CONFIDENTIAL.clientId, person, nonce: 'none', verifier }),
    async rotate() {
      provider = await newProvider(url, algorithm);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return issuer;
}

async function newProvider(url: string, algorithm: 'RS256' | 'ES256'): Promise<Provider> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const key: JWK = { ...(await exportJWK(privateKey)), kid: randomBytes(8).toString('hex'), use: 'sig', alg: algorithm };
  return new Provider(url, {
    jwks: { keys: [key as never] },
    clients: [
      {
        client_id: REAL_CLIENT_ID,
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        redirect_uris: [REDIRECT_URI, CONSOLE_URI],
        response_types: ['code', 'id_token'],
        grant_types: ['authorization_code', 'implicit'],
        id_token_signed_response_alg: algorithm,
      },
      {
        client_id: CONFIDENTIAL.clientId,
        client_secret: CONFIDENTIAL.clientSecret,
        application_type: 'native',
        token_endpoint_auth_method: 'client_secret_basic',
        redirect_uris: [REDIRECT_URI],
        id_token_signed_response_alg: algorithm,
      },
    ],
    cookies: { keys: [randomBytes(32).toString('hex')] },
    features: { devInteractions: { enabled: false } },
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, email: `${id}@example.com`, email_verified: true }) }),
    // Every person consents.
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId ?? '',
        accountId: oidc.session?.accountId ?? '',
      });
      grant.addOIDCScope('openid');
      await grant.save();
      return grant;
    },
  });
}

/** The login page: signs in the person that the request hints at, or the one who sits there. */
async function finishInteraction(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  person: string,
): Promise<void> {
  const { params } = await provider.interactionDetails(request, response);
  await provider.interactionFinished(request, response, {
    login: { accountId: (params.login_hint as string | undefined) ?? person },
    consent: {},
  });
}

/** Follows a browser's path from the authorization endpoint to the client's redirect, and returns the code. */
async function authorize(
  url: string,
  { clientId, person, nonce, verifier }: { clientId: string; person: string; nonce: string; verifier: string },
): Promise<string> {
  const cookies = new Map<string, string>();
  const start = new URL('/auth', url);
  start.search = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: REDIRECT_URI,
    scope: 'openid',
    login_hint: person,
    nonce,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString();
  let place = start;
  for (let step = 0; step < 10; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(place, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`the issuer stopped at ${place.pathname} with ${response.status}`);
    place = new URL(location, place);
    if (place.href.startsWith(REDIRECT_URI)) break;
  }
  const code = place.searchParams.get('code');
  if (code === null) throw new Error(`the issuer gave no code: ${place.search}`);
  return code;
}

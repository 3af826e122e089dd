import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

export const AUDIENCE = 'interop-app';
export const SECOND_AUDIENCE = 'interop-phone-app';
/** The secret of the client at the OAuth 2 provider. */
export const CLIENT_SECRET = 'an interop secret';
/** The server reads the keys of this issuer here, so that its tokens can be made here too. */
export const GOOGLE = 'https://accounts.google.com';

/** An OpenID Connect issuer on loopback: its discovery document, its keys, and tokens for anybody. As an OAuth 2 provider, it takes a name as the code of that person. */
export async function startIssuer() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const kid = randomUUID();
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    const pages = {
      '/.well-known/openid-configuration': {
        issuer: url,
        jwks_uri: `${url}/jwks`,
        id_token_signing_alg_values_supported: ['ES256'],
      },
      '/token': form.get('client_secret') === CLIENT_SECRET && { access_token: form.get('code'), token_type: 'bearer' },
      '/me': { id: request.headers.authorization?.slice('Bearer '.length) },
      '/jwks': { keys: [{ ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'ES256' }] },
    };
    const page = pages[request.url ?? ''] || undefined;
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(page ?? {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  return {
    url,
    /** The setting under which the server trusts this issuer. */
    trust: JSON.stringify([
      { issuer: url, audiences: [AUDIENCE, SECOND_AUDIENCE], allowPrivateAddress: true },
      { issuer: GOOGLE, audiences: [AUDIENCE], jwksUri: `${url}/jwks`, allowPrivateAddress: true },
    ]),
    /** The setting that lists this host as an OAuth 2 provider. */
    oauth2: JSON.stringify([
      {
        provider: 'OAUTH2_PROVIDER_DISCORD',
        tokenEndpoint: `${url}/token`,
        userinfoEndpoint: `${url}/me`,
        allowPrivateAddress: true,
      },
    ]),
    /** A token for `subject`, bound to a public key the way the clients bind it. */
    token(subject, publicKeyHex = '', more = {}) {
      const nowSeconds = Math.floor(Date.now() / 1000);
      const nonce = createHash('sha256').update(publicKeyHex).digest('hex');
      const times = { iat: nowSeconds, exp: nowSeconds + 600 };
      const claims = { iss: url, aud: AUDIENCE, sub: subject, ...times, nonce, jti: randomUUID(), ...more };
      const signed = [{ alg: 'ES256', typ: 'JWT', kid }, claims]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.');
      const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
      return `${signed}.${signature.toString('base64url')}`;
    },
    close: () => server.close(),
  };
}

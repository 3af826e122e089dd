import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CodeRejected, exchangeCode } from '../../../src/auth/oauth2/exchange-code.ts';
import { createOauth2 } from '../../../src/auth/oauth2/oauth2.ts';
import { IssuerUnavailable } from '../../../src/auth/oidc/oidc-error.ts';
import type { Oauth2Provider } from '../../../src/config/oauth2-providers.ts';
import { TestIssuer } from '../oidc/test-issuer.ts';

const code = {
  clientId: 'app',
  clientSecret: 's&cret',
  authCode: 'code',
  redirectUri: 'https://app.example.com/',
  codeVerifier: 'v',
};

describe('exchanging OAuth 2 codes', () => {
  let host: TestIssuer;
  let provider: Oauth2Provider;
  /** The form and the authorization of the last request. */
  let sent: { form: URLSearchParams; authorization: string | undefined };

  beforeAll(async () => {
    host = await TestIssuer.start();
    provider = {
      provider: 'OAUTH2_PROVIDER_TEST',
      tokenEndpoint: `${host.url}/token`,
      userinfoEndpoint: `${host.url}/me`,
      subject: 'sub',
      clientAuthentication: 'basic',
      allowPrivateAddress: true,
    };
    host.answers.set('/token', async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      sent = { form: new URLSearchParams(Buffer.concat(chunks).toString()), authorization: request.headers.authorization };
      response.end(JSON.stringify({ access_token: 'access', token_type: 'bearer' }));
    });
    host.answerJson('/me', { sub: 'person' });
  });

  afterAll(() => host.close());

  test('the client authenticates in a header, or in the form', async () => {
    expect(await exchangeCode(provider, code)).toBe('person');
    expect(sent.authorization).toBe(`Basic ${Buffer.from('app:s%26cret').toString('base64')}`);
    expect(Object.fromEntries(sent.form)).toEqual({
      grant_type: 'authorization_code',
      code: 'code',
      redirect_uri: 'https://app.example.com/',
      code_verifier: 'v',
      client_id: 'app',
    });
    await exchangeCode({ ...provider, clientAuthentication: 'post' }, code);
    expect([sent.authorization, sent.form.get('client_secret')]).toEqual([undefined, 's&cret']);
  });

  test('D990: a provider that does not respond in time is given up', async () => {
    host.answers.set('/slow', (_, response) => void response.writeHead(200).write('{'));
    const slow = { ...provider, tokenEndpoint: `${host.url}/slow` };
    await expect(exchangeCode(slow, code, 50)).rejects.toThrow(IssuerUnavailable);
  });

  test('D1018: errors quote nothing of what a provider returned, such as a token', async () => {
    host.answers.set('/form', (_, response) => void response.end('secret-token=1'));
    const error = await exchangeCode({ ...provider, tokenEndpoint: `${host.url}/form` }, code).catch((found: unknown) => found);
    expect(error).toBeInstanceOf(IssuerUnavailable);
    expect(inspect(error, { depth: 10 })).toContain('/form');
    expect(inspect(error, { depth: 10 })).not.toContain('secret');
  });

  test('D990: a private address is not contacted unless the operator allows it', async () => {
    const asked = host.requests.length;
    await expect(exchangeCode({ ...provider, allowPrivateAddress: false }, code)).rejects.toThrow('private address');
    expect(host.requests.length).toBe(asked);
  });

  test('400 and 401 reject the code, and any other status is a failure of the provider', async () => {
    for (const [status, kind] of [
      [400, CodeRejected],
      [401, CodeRejected],
      [403, IssuerUnavailable],
      [500, IssuerUnavailable],
    ] as const) {
      host.answers.set('/status', (_, response) => response.writeHead(status).end('{}'));
      await expect(exchangeCode({ ...provider, tokenEndpoint: `${host.url}/status` }, code)).rejects.toThrow(kind);
    }
  });

  test('a commit that is tried again does not ask again, and a failure does', async () => {
    let asked = 0;
    const exchange = async () => {
      asked++;
      if (asked === 1) throw new IssuerUnavailable('down');
      return 'person';
    };
    const oauth2 = createOauth2([provider], exchange);
    await expect(oauth2.personOf(provider, code, 'a')).rejects.toThrow('down');
    expect(await oauth2.personOf(provider, code, 'a')).toBe('person');
    expect(await oauth2.personOf(provider, code, 'a')).toBe('person');
    expect(asked).toBe(2);
    await oauth2.personOf(provider, code, 'b');
    await oauth2.personOf(provider, { ...code, codeVerifier: 'other' }, 'a');
    expect(asked).toBe(4);
  });
});

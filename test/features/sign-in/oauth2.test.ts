import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { forgedToken, TestIssuer } from '../../../packages/server/test/auth/oidc/test-issuer.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Answer, Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createMember, createSubOrganization, madeUpId } from '../../support/world.ts';
import { openAuthProxy, visit } from './auth-proxy-support.ts';
import { credentialParams, exchangeOf, LYING, listed, newVerifier, REAL, sealClientSecret } from './oauth2-support.ts';
import { NOT_BELIEVED, newSubject, nonceFor, providerParams, refusal } from './oidc-support.ts';
import { claimsOf } from './otp-support.ts';
import { CONFIDENTIAL, startRealIssuer } from './real-issuer.ts';
import { publishedKeys } from './transfer-support.ts';

const real = await startRealIssuer();
const lying = await TestIssuer.start();
afterAll(() => Promise.all([real.close(), lying.close()]));

const oauth2Providers = [listed(REAL, real.url), listed(LYING, lying.url, { subject: 'data.id', clientAuthentication: 'post' })];

/** The lying provider says that everybody is this person. */
function say(subject: unknown): void {
  lying.answerJson('/token', { access_token: 'access', token_type: 'Bearer' });
  lying.answerJson('/me', { data: { id: subject } });
}

const why = ({ status, body }: Answer) => `${status} ${body.message}`;

async function newCredential(
  caller: Caller,
  provider: string,
  client = CONFIDENTIAL as { clientId: string; clientSecret: string },
) {
  const params = await credentialParams(caller, provider, client);
  return (await caller.result('createOauth2Credential', params)).oauth2CredentialId as string;
}

/** Exchanges a code of the real provider for a token. */
async function realToken(caller: Caller, credentialId: string, person: string) {
  const verifier = newVerifier();
  const { key, params } = exchangeOf(credentialId, await real.code(person, verifier), verifier);
  const { oidcToken } = await caller.result('oauth2Authenticate', params);
  return { key, params, oidcToken: oidcToken as string };
}

async function lyingToken(caller: Caller, credentialId: string, subject: unknown) {
  say(subject);
  const { key, params } = exchangeOf(credentialId, newVerifier());
  const { oidcToken } = await caller.result('oauth2Authenticate', params);
  return { key, oidcToken: oidcToken as string };
}

const linkTo = (caller: Caller, userId: string, oidcToken: string) =>
  caller.result('createOauthProviders', { userId, oauthProviders: [providerParams(oidcToken)] });

const login = (caller: Caller, oidcToken: string, key: { publicKey: string }) =>
  caller.submit('oauthLogin', { oidcToken, publicKey: key.publicKey });

describeEngines(
  'OAuth 2',
  (subject) => {
    let root: Caller;

    beforeEach(async () => {
      root = (await createSubOrganization(subject().service.root)).caller;
    });

    describe.each(['spec', 'turnkey'] as const)('in the dialect %s', (dialect) => {
      test('a person signs in with the code of a real provider', async () => {
        const app = root.with({ dialect });
        const id = await newCredential(app, REAL);
        const [person, { userId }] = [newSubject(), await createMember(app)];
        const first = await realToken(app, id, person);
        const { iss, aud, sub, nonce, iat, exp } = claimsOf(first.oidcToken);
        expect({ aud, sub, nonce, lifetime: exp - iat }).toEqual({
          aud: CONFIDENTIAL.clientId,
          sub: person,
          nonce: nonceFor(first.key.publicKey),
          lifetime: 300,
        });
        expect(iss).toBe(`urn:countersign:oauth2:${app.organizationId}:${REAL}`);
        await linkTo(app, userId, first.oidcToken);
        const { key, oidcToken } = await realToken(app, id, person);
        expect((await login(app, oidcToken, key)).status).toBe(200);
        expect(await app.with({ key }).data('whoami')).toMatchObject({ userId });
      });
    });

    test('credentials are listed, replaced and deleted, and their secrets are shown nowhere', async () => {
      const params = await credentialParams(root, REAL);
      const { oauth2CredentialId: id } = await root.result('createOauth2Credential', params);
      const shown = {
        oauth2CredentialId: id,
        organizationId: root.organizationId,
        provider: REAL,
        clientId: CONFIDENTIAL.clientId,
      };
      const { oauth2Credential } = await root.data('getOauth2Credential', { oauth2CredentialId: id });
      expect(oauth2Credential).toMatchObject({ ...shown, encryptedClientSecret: '' });
      expect((await root.data('listOauth2Credentials')).oauth2Credentials).toEqual([oauth2Credential]);
      const again = await root.submit('createOauth2Credential', await credentialParams(root, REAL));
      expect(refusal(again)).toBe('400 NAME_TAKEN clientId');
      const wrong = await credentialParams(root, REAL, { clientId: CONFIDENTIAL.clientId, clientSecret: 'wrong' });
      await root.result('updateOauth2Credential', { oauth2CredentialId: id, ...wrong });
      const verifier = newVerifier();
      const { params: exchange } = exchangeOf(id, await real.code('somebody', verifier), verifier);
      expect(why(await root.submit('oauth2Authenticate', exchange))).toMatch(/^400 The code cannot be exchanged: the provider/);
      await root.result('updateOauth2Credential', { oauth2CredentialId: id, ...(await credentialParams(root, REAL)) });
      const { params: used } = await realToken(root, id, 'somebody');
      const written = JSON.stringify((await root.data('listActivities')).activities);
      for (const secret of [params.encryptedClientSecret, used.authCode, used.codeVerifier])
        expect(written).not.toContain(secret);
      await root.result('deleteOauth2Credential', { oauth2CredentialId: id });
      expect((await root.data('listOauth2Credentials')).oauth2Credentials).toEqual([]);
      expect(refusal(await root.submit('oauth2Authenticate', exchangeOf(id, 'code').params))).toBe(
        '404 NOT_FOUND oauth2CredentialId',
      );
    });

    test('D990: codes and secrets go only to the endpoints that the operator lists', async () => {
      const before = lying.requests.length;
      const params = { ...(await credentialParams(root, REAL)), provider: 'OAUTH2_PROVIDER_MINE' };
      expect(refusal(await root.submit('createOauth2Credential', params))).toBe('501 NOT_OFFERED provider');
      const id = await newCredential(root, LYING);
      say('person');
      lying.answers.set('/token', (_, response) => response.writeHead(307, { location: `${real.url}/token` }).end());
      const asked = real.requests.length;
      const answer = await root.submit('oauth2Authenticate', exchangeOf(id, 'code').params);
      expect(refusal(answer)).toMatch(/^503 ISSUER_UNAVAILABLE/);
      expect(real.requests.length).toBe(asked);
      expect(lying.requests.slice(before)).toEqual(['/token']);
    });

    test('D990: what a provider returns is bounded, and must name a person', async () => {
      const id = await newCredential(root, LYING);
      const trial = async () => refusal(await root.submit('oauth2Authenticate', exchangeOf(id, newVerifier()).params));
      for (const odd of [null, '', {}, -1, 1.5, 'a\nb', 'x'.repeat(256), true]) {
        say(odd);
        expect(await trial(), JSON.stringify(odd)).toMatch(/^503 ISSUER_UNAVAILABLE/);
      }
      say('person');
      lying.answerJson('/me', { data: { id: 'person' }, more: 'x'.repeat(70_000) });
      expect(await trial()).toMatch(/^503/);
      lying.answerJson('/token', { access_token: 'access', token_type: 'mac' });
      expect(await trial()).toMatch(/^503/);
      say(12345);
      expect(await trial()).toMatch(/^200/);
    });

    test('D991: a provider that lies about the person signs in nobody of another provider', async () => {
      const [realId, lyingId] = [await newCredential(root, REAL), await newCredential(root, LYING)];
      const [person, { userId }] = [newSubject(), await createMember(root)];
      await linkTo(root, userId, (await realToken(root, realId, person)).oidcToken);
      const { key, oidcToken } = await lyingToken(root, lyingId, person);
      const { iss, ...rest } = claimsOf(oidcToken);
      expect(rest).toMatchObject({ sub: person, aud: CONFIDENTIAL.clientId });
      expect(iss).toMatch(new RegExp(`:${LYING}$`));
      expect(refusal(await login(root, oidcToken, key))).toBe(NOT_BELIEVED);
    });

    test('D991: what another organization learned signs in nobody here', async () => {
      const [id, { userId }] = [await newCredential(root, LYING), await createMember(root)];
      const person = newSubject();
      await linkTo(root, userId, (await lyingToken(root, id, person)).oidcToken);
      const { caller: other } = await createSubOrganization(subject().service.root);
      const { key, oidcToken } = await lyingToken(other, await newCredential(other, LYING), person);
      expect(refusal(await login(root, oidcToken, key))).toBe(NOT_BELIEVED);
      const own = await lyingToken(root, id, person);
      expect((await login(root, own.oidcToken, own.key)).status).toBe(200);
    });

    test('D992: a code counts once, also at a provider that accepts it twice', async () => {
      const id = await newCredential(root, LYING);
      say('person');
      const { params } = exchangeOf(id, newVerifier());
      await root.result('oauth2Authenticate', params);
      const stolen = { ...params, nonce: nonceFor(newApiKey().publicKey) };
      expect(why(await root.submit('oauth2Authenticate', stolen))).toMatch(
        /^400 The code cannot be exchanged: it was used before/,
      );
      const atOnce = exchangeOf(id, newVerifier()).params;
      const keys = [1, 2, 3].map(() => ({ ...atOnce, nonce: nonceFor(newApiKey().publicKey) }));
      const answers = await Promise.all(keys.map((each) => root.submit('oauth2Authenticate', each)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    });

    test('D992: a real provider accepts a code once, with the verifier of the one who asked for it', async () => {
      const id = await newCredential(root, REAL);
      const verifier = newVerifier();
      const authCode = await real.code('somebody', verifier);
      const stolen = exchangeOf(id, authCode, newVerifier()).params;
      expect(why(await root.submit('oauth2Authenticate', stolen))).toMatch(/^400 The code cannot be exchanged: the provider/);
    });

    test('D993: a token is valid for the key that it names, and not if somebody else signed it', async () => {
      const [id, { userId }] = [await newCredential(root, LYING), await createMember(root)];
      const person = newSubject();
      await linkTo(root, userId, (await lyingToken(root, id, person)).oidcToken);
      const { key, oidcToken } = await lyingToken(root, id, person);
      expect(refusal(await login(root, oidcToken, newApiKey()))).toBe(NOT_BELIEVED);
      const [header = '', payload = '', signature = ''] = oidcToken.split('.');
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
      const parsed = JSON.parse(Buffer.from(header, 'base64url').toString());
      const thief = newApiKey();
      const forgedClaims = { ...claims, nonce: nonceFor(thief.publicKey) };
      const forged = forgedToken(parsed, forgedClaims, Buffer.from(signature, 'base64url'));
      expect(refusal(await login(root, forged, thief))).toBe(NOT_BELIEVED);
      expect((await login(root, oidcToken, key)).status).toBe(200);
    });

    test('a client secret for another key is refused, and so is one that was altered', async () => {
      const params = await credentialParams(root, REAL);
      const { signer } = await publishedKeys(root.url);
      const foreign = sealClientSecret(signer as string, 'secret');
      const altered = `${params.encryptedClientSecret.slice(0, -2)}${params.encryptedClientSecret.endsWith('00') ? '01' : '00'}`;
      for (const encryptedClientSecret of [foreign, altered, '00', `${params.encryptedClientSecret}00`]) {
        const answer = await root.submit('createOauth2Credential', { ...params, encryptedClientSecret });
        expect(why(answer)).toMatch(/^400 The client secret cannot be decrypted/);
      }
      expect(refusal(await root.submit('deleteOauth2Credential', { oauth2CredentialId: madeUpId() }))).toBe(
        '404 NOT_FOUND oauth2CredentialId',
      );
    });

    test('the auth proxy exchanges codes of the clients that the organization registered', async () => {
      const app = subject().service.root;
      await openAuthProxy(app);
      const known = (await app.data('listOauth2Credentials')).oauth2Credentials;
      if (known.length === 0) await newCredential(app, REAL);
      const [verifier, key, person] = [newVerifier(), newApiKey(), newSubject()];
      const { oauth2CredentialId: _, ...code } = exchangeOf('', await real.code(person, verifier), verifier).params;
      const asked = { ...code, nonce: nonceFor(key.publicKey), provider: REAL, clientId: CONFIDENTIAL.clientId };
      expect((await visit(app, 'oauth2_authenticate', { ...asked, clientId: 'another' })).status).toBe(404);
      const { body } = await visit(app, 'oauth2_authenticate', asked);
      expect(Object.keys(body)).toEqual(['oidcToken']);
      const oauthProviders = [{ providerName: 'Real', oidcToken: body.oidcToken }];
      const signUp = { userName: 'Ann', apiKeys: [], authenticators: [], oauthProviders };
      const { body: made } = await visit(app, 'signup_v2', signUp);
      const { body: session } = await visit(app, 'oauth_login', { oidcToken: body.oidcToken, publicKey: key.publicKey });
      expect(Object.keys(session)).toEqual(['session']);
      const { organizationId } = made;
      expect(await app.with({ organizationId, key }).data('whoami')).toMatchObject({ userId: made.userId });
      await app.result('updateAuthProxyConfig', { allowedAuthMethods: ['email'] });
      expect(why(await visit(app, 'oauth2_authenticate', asked))).toMatch(/^400 .*does not offer oauth/);
    });

    test('nobody without a right exchanges a code', async () => {
      const id = await newCredential(root, LYING);
      const { caller } = await createMember(root);
      const before = lying.requests.length;
      expect((await caller.submit('oauth2Authenticate', exchangeOf(id, 'code').params)).status).toBe(403);
      expect(lying.requests.length).toBe(before);
    });
  },
  { config: { oauth2Providers, bindIdentityLinks: false, signInsPerAddress: 0, signInsPerOrganization: 0 } },
);

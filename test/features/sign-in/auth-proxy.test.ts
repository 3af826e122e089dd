import { afterAll, beforeAll, expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import type { Answer } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { startService } from '../../support/service.ts';
import { apiKeyParams, createSubOrganization, errorOf } from '../../support/world.ts';
import { passkeyParams } from '../catalogue/support/passkeys.ts';
import { attestedLogin, ORIGIN, openAuthProxy, provePerson, signUpBody, visit } from './auth-proxy-support.ts';
import { createCustomer, mailSettings, newAddress, newPhoneNumber } from './mail-support.ts';
import { newSubject, nonceFor, trust } from './oidc-support.ts';
import { boundToken, claimsOf } from './otp-support.ts';
import { REAL_CLIENT_ID, startRealIssuer } from './real-issuer.ts';
import { loginBody } from './relay-support.ts';
import { startInbox } from './smtp-inbox.ts';

const inbox = await startInbox();
const issuer = await startRealIssuer();
afterAll(() => Promise.all([inbox.stop(), issuer.close()]));

const config = {
  ...mailSettings(inbox),
  oidcIssuers: [trust(issuer.url, { audiences: [REAL_CLIENT_ID] })],
  signInsPerAddress: 0,
  signInsPerOrganization: 0,
};

const outcome = ({ status, body }: Answer) => `${status} ${body.turnkeyErrorCode ?? body.errorCode ?? ''}`.trim();

const why = ({ status, body }: Answer) => `${status} ${body.message}`;

describeEngines(
  'auth proxy',
  (subject) => {
    const app = () => subject().service.root;
    let proxy: { userId: string; policyId: string };

    beforeAll(async () => {
      proxy = await openAuthProxy(app());
    });
    const configure = (params: object) => app().result('updateAuthProxyConfig', params);

    async function signedUp() {
      const person = await provePerson(app(), inbox);
      const answer = await visit(app(), 'signup_v2', signUpBody(person));
      expect(outcome(answer)).toBe('200');
      return { ...person, ...answer.body } as typeof person & { organizationId: string; userId: string };
    }

    test('a page reads the configuration, and signs up and logs in with a code', async () => {
      expect((await visit(app(), 'wallet_kit_client_params', {})).body).toEqual({});
      expect((await visit(app(), 'wallet_kit_config', {})).body).toMatchObject({
        organizationId: app().organizationId,
        enabledProviders: ['email', 'passkey'],
        sessionExpirationSeconds: '900',
        otpLength: '9',
      });
      const person = await provePerson(app(), inbox);
      const account = { filterType: 'EMAIL', filterValue: person.email, verificationToken: person.token };
      expect((await visit(app(), 'account', account)).body).toEqual({});
      const { body: made } = await visit(app(), 'signup_v2', signUpBody(person));
      expect(made).toMatchObject({ organizationId: expect.any(String), wallet: { addresses: [expect.stringMatching(/^0x/)] } });
      expect((await visit(app(), 'account', account)).body).toEqual({ organizationId: made.organizationId });
      const login = await attestedLogin(app(), made.organizationId, person);
      expect(login.body.activity.result.stampLoginResult.session).toEqual(expect.any(String));
      const own = app().with({ organizationId: made.organizationId, key: person.key });
      expect(await own.data('whoami')).toMatchObject({ userId: made.userId, organizationId: made.organizationId });
      const [signWith] = made.wallet.addresses;
      const payload = {
        signWith,
        payload: 'hello',
        encoding: 'PAYLOAD_ENCODING_TEXT_UTF8',
        hashFunction: 'HASH_FUNCTION_KECCAK256',
      };
      expect(await own.result('signRawPayload', payload)).toMatchObject({ r: expect.any(String) });
      // The second time with the same token.
      expect(why(await attestedLogin(app(), made.organizationId, person))).toMatch(
        /^400 invalid verification token: it was used/,
      );
    });

    test('older clients log in at the auth proxy itself', async () => {
      const { email, organizationId, userId } = await signedUp();
      const { key, token } = await provePerson(app(), inbox, email);
      const { body } = await visit(app(), 'otp_login', loginBody(token, key));
      expect(Object.keys(body)).toEqual(['session']);
      expect(await app().with({ organizationId, key }).data('whoami')).toMatchObject({ userId });
    });

    test('an identity signs up and logs in', async () => {
      const [key, sub] = [newApiKey(), newSubject()];
      const oidcToken = await issuer.idToken(sub, nonceFor(key.publicKey));
      expect((await visit(app(), 'account', { filterType: 'OIDC_TOKEN', filterValue: oidcToken })).body).toEqual({});
      const body = { userName: 'Ann', apiKeys: [], authenticators: [], oauthProviders: [{ providerName: 'Test', oidcToken }] };
      const { body: made } = await visit(app(), 'signup_v2', body);
      const proof = { key, token: oidcToken, scheme: 'P256_OIDC' as const };
      expect(outcome(await attestedLogin(app(), made.organizationId, proof))).toBe('200');
      expect(await app().with({ organizationId: made.organizationId, key }).data('whoami')).toMatchObject({
        userId: made.userId,
      });
      const next = newApiKey();
      const again = await issuer.idToken(sub, nonceFor(next.publicKey));
      expect(outcome(await visit(app(), 'oauth_login', { oidcToken: again, publicKey: next.publicKey }))).toBe('200');
      // D845: a token creates one sub-organization, and an identity has one.
      expect(outcome(await visit(app(), 'signup_v2', body))).toBe('400 PRECONDITION_FAILED');
    });

    test('a new passkey signs up, with a key that lives for a minute', async () => {
      const key = newApiKey();
      const temporary = { ...apiKeyParams(key), expirationSeconds: '60' };
      const body = { userName: 'Ann', apiKeys: [temporary], authenticators: [passkeyParams()], oauthProviders: [] };
      const { body: made } = await visit(app(), 'signup_v2', body);
      const own = app().with({ organizationId: made.organizationId, key });
      expect(await own.result('stampLogin', { publicKey: newApiKey().publicKey })).toMatchObject({ session: expect.any(String) });
    });

    test('D840: without a policy for it, or after it is disabled, the auth proxy serves no one', async () => {
      const { caller: customer } = await createSubOrganization(app());
      expect(errorOf(await customer.submit('updateAuthProxyConfig', { allowSignUp: true }))).toMatchObject({
        code: 'ACTIVITY_CALLER_INVALID',
      });
      const person = await provePerson(app(), inbox);
      await app().result('updatePolicy', {
        policyId: proxy.policyId,
        policyCondition: "activity.type == 'ACTIVITY_TYPE_INIT_OTP'",
      });
      expect(outcome(await visit(app(), 'signup_v2', signUpBody(person)))).toBe('404 NOT_FOUND');
      await app().result('deletePolicy', { policyId: proxy.policyId });
      expect(outcome(await visit(app(), 'otp_init_v2', { otpType: 'OTP_TYPE_EMAIL', contact: newAddress() }))).toBe(
        '404 NOT_FOUND',
      );
      await app().result('deleteUsers', { userIds: [proxy.userId] });
      expect(outcome(await visit(app(), 'wallet_kit_config', {}))).toBe('404 NOT_FOUND');
      proxy = await openAuthProxy(app());
      await app().result('disableAuthProxy', {});
      expect(outcome(await visit(app(), 'wallet_kit_client_params', {}))).toBe('404 NOT_FOUND');
      await configure({ allowedOrigins: [ORIGIN], allowedAuthMethods: ['email', 'passkey', 'oauth'], allowSignUp: false });
      expect(outcome(await visit(app(), 'signup_v2', signUpBody(person)))).toBe('400 PRECONDITION_FAILED');
      await configure({ allowSignUp: true, allowedAuthMethods: ['email', 'oauth'] });
      const passkey = { userName: 'Ann', apiKeys: [], authenticators: [passkeyParams()], oauthProviders: [] };
      expect(outcome(await visit(app(), 'signup_v2', passkey))).toBe('400 PRECONDITION_FAILED');
      await configure({ allowedAuthMethods: ['email', 'passkey', 'oauth'] });
    });

    test('D841: a sub-organization that turns codes off is not opened with one', async () => {
      const { email, organizationId, key, token } = await signedUp();
      await attestedLogin(app(), organizationId, { key, token });
      await app().with({ organizationId, key }).result('removeOrganizationFeature', { name: 'FEATURE_NAME_OTP_EMAIL_AUTH' });
      const later = await provePerson(app(), inbox, email);
      expect(why(await attestedLogin(app(), organizationId, later))).toMatch(/^400 Sign-in with one-time codes by email is off/);
    });

    test('D842: known and unknown contacts get the same responses and emails', async () => {
      const { email } = await signedUp();
      const series = async (contact: string) => {
        const before = inbox.mails.filter(({ to }) => to === contact).length;
        const asked = await visit(app(), 'otp_init_v2', { otpType: 'OTP_TYPE_EMAIL', contact });
        await inbox.to(contact, before + 1);
        const account = await visit(app(), 'account', { filterType: 'EMAIL', filterValue: contact });
        const { key, token } = await provePerson(app(), inbox);
        const foreign = { filterType: 'EMAIL', filterValue: contact, verificationToken: token };
        const login = await visit(app(), 'otp_login', loginBody(token, key));
        return [outcome(asked), Object.keys(asked.body), account.body, (await visit(app(), 'account', foreign)).body, login.body];
      };
      const known = await series(email);
      expect(known[2]).toMatchObject({ message: expect.stringContaining('verificationToken') });
      expect(await series(newAddress())).toEqual(known);
    });

    test('D843: contacts and identities that are not proven sign up nobody', async () => {
      const person = await provePerson(app(), inbox);
      const passkey = { userName: 'Ann', apiKeys: [], authenticators: [passkeyParams()], oauthProviders: [] };
      const victim = newSubject();
      const key = newApiKey();
      const stolen = { providerName: 'Test', oidcToken: await issuer.idToken(victim, nonceFor(key.publicKey)) };
      const tries = [
        { ...passkey, userEmail: newAddress() },
        { ...passkey, userPhoneNumber: newPhoneNumber() },
        { ...passkey, authenticators: [], apiKeys: [apiKeyParams(newApiKey())] },
        { ...passkey, oauthProviders: [stolen] },
        { ...passkey, authenticators: [], apiKeys: [apiKeyParams(newApiKey())], oauthProviders: [stolen] },
        {
          ...passkey,
          authenticators: [],
          oauthProviders: [stolen, { ...stolen, oidcToken: await issuer.idToken(newSubject(), 'x') }],
        },
        signUpBody(person, { userPhoneNumber: newPhoneNumber() }),
        signUpBody(person, { oauthProviders: [stolen] }),
      ];
      for (const body of tries)
        expect(outcome(await visit(app(), 'signup_v2', body))).toMatch(/^400 (REQUEST|OIDC_TOKEN)_INVALID$/);
      expect(outcome(await visit(app(), 'signup_v2', signUpBody(person)))).toBe('200');
    });

    test('D843: a public key that a stranger registers resolves to no organization under the id of the parent', async () => {
      const key = newApiKey();
      const body = { userName: 'Eve', apiKeys: [apiKeyParams(key)], authenticators: [passkeyParams()], oauthProviders: [] };
      expect(outcome(await visit(app(), 'signup_v2', body))).toBe('200');
      expect((await app().with({ key }).query('whoami')).status).toBe(401);
    });

    test('D850: who proves the contact of an account later, in an older organization, gets none of its sign-ins', async () => {
      const eve = await signedUp();
      const victim = await signedUp();
      const { token: stolen } = await provePerson(app(), inbox, victim.email);
      await attestedLogin(app(), eve.organizationId, eve);
      const own = app().with({ organizationId: eve.organizationId, key: eve.key });
      await own.result('updateUserEmail', { userId: eve.userId, userEmail: victim.email, verificationToken: stolen });
      const { key, token } = await provePerson(app(), inbox, victim.email);
      const account = { filterType: 'EMAIL', filterValue: victim.email, verificationToken: token };
      expect((await visit(app(), 'account', account)).body).toEqual({ organizationId: victim.organizationId });
      expect(outcome(await visit(app(), 'otp_login', loginBody(token, key)))).toBe('200');
      expect(await app().with({ organizationId: victim.organizationId, key }).data('whoami')).toMatchObject({
        userId: victim.userId,
      });
    });

    test('D844: a proof of one contact or organization is useless for another', async () => {
      const [victim, thief] = [await signedUp(), await provePerson(app(), inbox)];
      expect(outcome(await visit(app(), 'signup_v2', signUpBody({ ...thief, email: newAddress() })))).toBe(
        '400 VERIFICATION_TOKEN_INVALID',
      );
      expect(outcome(await visit(app(), 'signup_v2', signUpBody({ ...thief, email: victim.email })))).toBe(
        '400 VERIFICATION_TOKEN_INVALID',
      );
      expect(outcome(await attestedLogin(app(), victim.organizationId, thief))).toBe('404 REQUEST_INVALID');
      const { caller: customer } = await createSubOrganization(app());
      const email = newAddress();
      const key = newApiKey();
      const elsewhere = await boundToken(customer, inbox, email, key);
      expect(claimsOf(elsewhere).organization_id).toBe(customer.organizationId);
      expect(outcome(await visit(app(), 'signup_v2', signUpBody({ key, email, token: elsewhere })))).toBe(
        '400 VERIFICATION_TOKEN_INVALID',
      );
      await configure({ walletKitSettings: { oauthClientIds: { google: 'another-app' } } });
      const oidcToken = await issuer.idToken(newSubject(), nonceFor(key.publicKey));
      const identity = {
        userName: 'Ann',
        apiKeys: [],
        authenticators: [],
        oauthProviders: [{ providerName: 'Test', oidcToken }],
      };
      expect(outcome(await visit(app(), 'signup_v2', identity))).toBe('400 REQUEST_INVALID');
      await configure({ walletKitSettings: {} });
    });

    test('D846: pages of other origins have no effect and read nothing', async () => {
      const contact = newAddress();
      const newest = async () => (await app().data('listActivities')).activities[0].id;
      const before = await newest();
      const asked = (origin: string) => visit(app(), 'otp_init_v2', { otpType: 'OTP_TYPE_EMAIL', contact }, { origin });
      for (const origin of [
        'https://evil.example',
        `${ORIGIN}.evil.example`,
        'null',
        ORIGIN.replace('https', 'http'),
        `${ORIGIN}:8443`,
      ]) {
        const answer = await asked(origin);
        expect(outcome(answer)).toMatch(/^403/);
        expect(answer.headers.get('access-control-allow-origin')).toBeNull();
      }
      expect(await newest()).toBe(before);
      expect((await asked(ORIGIN)).headers.get('access-control-allow-origin')).toBe(ORIGIN);
      expect(errorOf(await app().submit('updateAuthProxyConfig', { allowedOrigins: ['*'] }))).toMatchObject({
        code: 'REQUEST_INVALID',
      });
      const { key, token, organizationId } = { ...(await signedUp()) };
      await configure({ allowedOrigins: ['https://other.example.com'] });
      expect(outcome(await attestedLogin(app(), organizationId, { key, token }))).toMatch(/^403/);
      await configure({ allowedOrigins: [ORIGIN] });
    });

    test('D847: requests choose neither lifetime nor profile of a session', async () => {
      await configure({ sessionExpirationSeconds: 120 });
      const { key, token, organizationId } = await signedUp();
      const body = { ...loginBody(token, key), expirationSeconds: '86400' };
      expect(outcome(await visit(app(), 'otp_login', body))).toBe('400 REQUEST_INVALID');
      const login = await attestedLogin(app(), organizationId, { key, token }, { expirationSeconds: '86400' });
      const { session } = login.body.activity.result.stampLoginResult;
      expect(claimsOf(session).exp * 1000 - Date.now()).toBeLessThan(121_000);
      // It cannot be prolonged either.
      const next = newApiKey();
      const own = app().with({ organizationId, key });
      const renewed = await own.result('stampLogin', { publicKey: next.publicKey, expirationSeconds: '900' });
      expect(claimsOf(renewed.session).exp * 1000 - Date.now()).toBeLessThan(121_000);
      await configure({ sessionExpirationSeconds: 900 });
    });

    test.each([
      ['a shorter profile', '60', 61_000],
      ['a longer profile', '86400', 121_000],
    ])(
      'D994: of configuration and profile, the shorter lifetime counts: %s',
      async (sessionProfileName, lifetime, lessThanMs) => {
        const profile = { sessionProfileName, scope: "activity.action == 'SIGN'", expirationSeconds: lifetime };
        const { sessionProfileId } = await app().result('createSessionProfile', profile);
        await configure({ sessionExpirationSeconds: 120, sessionProfileId });
        const { key, token, organizationId } = await signedUp();
        const asked = { expirationSeconds: '86400' };
        const login = await attestedLogin(app(), organizationId, { key, token }, asked);
        const { session } = login.body.activity.result.stampLoginResult;
        expect(claimsOf(session)).toMatchObject({ session_profile_id: sessionProfileId });
        expect(claimsOf(session).exp * 1000 - Date.now()).toBeLessThan(lessThanMs);
        const own = app().with({ organizationId, key });
        const { userId } = await own.data('whoami');
        const { apiKeys } = await own.data('getApiKeys', { userId });
        expect(Number(apiKeys[0].expirationSeconds) * 1000).toBeLessThan(lessThanMs);
        await configure({ sessionExpirationSeconds: 900, sessionProfileId: '' });
      },
    );

    test('D995: a proof by code survives changes that the root quorum vouches for, and its time is that of the first', async () => {
      const victim = await signedUp();
      const eve = await signedUp();
      const { token: stolen } = await provePerson(app(), inbox, victim.email);
      await attestedLogin(app(), eve.organizationId, eve);
      const thief = app().with({ organizationId: eve.organizationId, key: eve.key });
      await thief.result('updateUserEmail', { userId: eve.userId, userEmail: victim.email, verificationToken: stolen });
      await attestedLogin(app(), victim.organizationId, victim);
      const own = app().with({ organizationId: victim.organizationId, key: victim.key });
      // Without a code, as root quorum; then with a code that is newer than the thief's.
      await own.result('updateUserEmail', { userId: victim.userId, userEmail: victim.email });
      const { token: verificationToken } = await provePerson(app(), inbox, victim.email);
      const account = { filterType: 'EMAIL', filterValue: victim.email, verificationToken };
      expect((await visit(app(), 'account', account)).body).toEqual({ organizationId: victim.organizationId });
      await own.result('updateUserEmail', { userId: victim.userId, userEmail: victim.email, verificationToken });
      expect((await visit(app(), 'account', account)).body).toEqual({ organizationId: victim.organizationId });
    });

    test('D849: an attested stamp needs the key of the token, over this body', async () => {
      const { key, token, organizationId } = await signedUp();
      const other = newApiKey();
      const login = (...args: [object?, object?, object?]) =>
        attestedLogin(app(), organizationId, { key, token, ...args[0] }, args[1], args[2]);
      expect(why(await login({ key: other }))).toMatch(/^400 invalid verification token: it names a key/);
      expect(outcome(await login({}, {}, { signer: other }))).toMatch(/^401/);
      expect(why(await login({}, { publicKey: other.publicKey }))).toMatch(/^400 .*publicKey must be the key of the stamp/);
      expect(why(await login({ token: `${token.slice(0, -6)}AAAAAA` }))).toMatch(/^400 invalid verification token: it does not/);
      expect(outcome(await login({ scheme: 'P256_OIDC' }))).toMatch(/^400/);
      expect(outcome(await login({}, {}, { path: '' }))).toMatch(/^401/);
      expect(outcome(await login())).toBe('200');
    });

    test('D845: strangers create a limited number of organizations a day', async () => {
      const service = await startService(subject().installation, { config: { ...config, maxSignUps: 0 } });
      try {
        const limited = app().with({ url: service.url });
        const person = await provePerson(limited, inbox);
        expect(outcome(await visit(limited, 'signup_v2', signUpBody(person)))).toBe('429 RATE_LIMIT_EXCEEDED');
        expect(outcome(await visit(app(), 'signup_v2', signUpBody(person)))).toBe('200');
      } finally {
        await service.close();
      }
    });

    test('a contact that a backend entered does not lead to its sub-organization', async () => {
      const { email } = await createCustomer(app());
      const { token } = await provePerson(app(), inbox, email);
      const account = { filterType: 'EMAIL', filterValue: email, verificationToken: token };
      expect((await visit(app(), 'account', account)).body).toEqual({});
    });
  },
  { config },
);

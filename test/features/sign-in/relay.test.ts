import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { dayOf } from '../../../packages/server/src/store/counters.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { startService } from '../../support/service.ts';
import { createMember, createSubOrganization, errorOf, userParams } from '../../support/world.ts';
import { createReachable, mailSettings, newAddress } from './mail-support.ts';
import { link, newSubject, nonceFor, refusal, trust } from './oidc-support.ts';
import { claimsOf, newestCode, wrong } from './otp-support.ts';
import { REAL_CLIENT_ID, startRealIssuer } from './real-issuer.ts';
import { ask, askCode, loginBody, openSignIn } from './relay-support.ts';
import { startInbox } from './smtp-inbox.ts';

const inbox = await startInbox();
const issuer = await startRealIssuer();
afterAll(() => Promise.all([inbox.stop(), issuer.close()]));

const authorizationEndpoint = `${issuer.url}/auth`;
const config = {
  ...mailSettings(inbox),
  oidcIssuers: [trust(issuer.url, { audiences: [REAL_CLIENT_ID], authorizationEndpoint })],
  bindIdentityLinks: false,
  // Every request of these tests comes from one address.
  signInsPerAddress: 0,
  signInsPerOrganization: 0,
};

const BAD_TOKEN = '400 VERIFICATION_TOKEN_INVALID verificationToken';

describeEngines(
  'sign-in without a stamp',
  (subject) => {
    const root = () => subject().service.root;

    /** A sub-organization where sign-in is open, and its root user. */
    async function openPlace(): Promise<Caller> {
      const { caller } = await createSubOrganization(root());
      await openSignIn(caller);
      return caller;
    }

    /** How many mails an organization has sent, yesterday or today: a test may run at midnight. */
    async function mailsOf({ organizationId }: Caller): Promise<number> {
      const { counters } = subject().service.services.store;
      const today = dayOf(Date.now());
      const sent = [today - 1, today].map((day) => counters.amount({ organizationId, name: 'messages/EMAIL', day }));
      return (await Promise.all(sent)).reduce((sum, amount) => sum + amount, 0);
    }

    /** A verification token of the relay for a user of a place, bound to a key. */
    async function tokenFor(place: Caller, email: string, key = newApiKey()) {
      const { otpId } = (await askCode(place, email)).body;
      const otpCode = await newestCode(inbox, email);
      const verified = await ask(place, 'otp_verify', { otpId, otpCode, publicKey: key.publicKey });
      return { key, otpId, otpCode, token: verified.body.verificationToken as string };
    }

    test('a mailed code opens a session, recorded as an activity of the sign-in user', async () => {
      const place = await openPlace();
      const { userId, email } = await createReachable(place);
      expect((await ask(place, 'wallet_kit_config', {})).body).toEqual({
        organizationId: place.organizationId,
        enabledProviders: ['email', 'oauth'],
        sessionExpirationSeconds: '900',
        openIdConnect: [{ issuer: issuer.url, clientId: REAL_CLIENT_ID, authorizationEndpoint }],
      });
      const { key, token } = await tokenFor(place, email);
      const { status, body } = await ask(place, 'otp_login', loginBody(token, key));
      expect({ status, keys: Object.keys(body) }).toEqual({ status: 200, keys: ['session'] });
      expect(await place.with({ key }).data('whoami')).toMatchObject({ userId });
      const { userId: signInUser } = await place.data('getSignInKey');
      const { activities } = await place.data('listActivities', { filterByType: ['ACTIVITY_TYPE_OTP_LOGIN'] });
      expect(activities[0].votes[0].userId).toBe(signInUser);
    });

    test('a token of an issuer opens a session of the user that it is linked to', async () => {
      const place = await openPlace();
      const { userId } = await createMember(place);
      const sub = newSubject();
      await link(place, userId, await issuer.idToken(sub, 'any'));
      const key = newApiKey();
      const oidcToken = await issuer.idToken(sub, nonceFor(key.publicKey));
      // A76: the token is good for the key of its nonce, and once.
      const other = newApiKey();
      expect(refusal(await ask(place, 'oauth_login', { oidcToken, publicKey: other.publicKey }))).toBe(
        '400 OIDC_TOKEN_INVALID oidcToken',
      );
      expect((await ask(place, 'oauth_login', { oidcToken, publicKey: key.publicKey })).status).toBe(200);
      expect(await place.with({ key }).data('whoami')).toMatchObject({ userId });
      expect((await ask(place, 'oauth_login', { oidcToken, publicKey: key.publicKey })).status).toBe(400);
    });

    test('A73: unknown and known addresses get the same response', async () => {
      const place = await openPlace();
      const [{ email }, stranger] = [await createReachable(place), newAddress()];
      const series = async (contact: string) => {
        const asked = [];
        for (let count = 0; count < 4; count++) asked.push(await askCode(place, contact));
        const [first] = asked;
        const tried = { otpId: first?.body.otpId, otpCode: 'ZZZZZZZZ2', publicKey: newApiKey().publicKey };
        const tries = [];
        for (let count = 0; count < 4; count++) tries.push(await ask(place, 'otp_verify', tried));
        return [...asked, ...tries].map(({ status, body }) => ({ status, keys: Object.keys(body), code: body.errorCode }));
      };
      const known = await series(email);
      expect(known.map(({ status }) => status)).toEqual([200, 200, 200, 429, 400, 400, 400, 400]);
      expect(await series(stranger)).toEqual(known);
    });

    test('A73: also after the daily mail quota is used up', async () => {
      const service = await startService(subject().installation, { config: { ...config, maxMailsPerSubOrganization: 1 } });
      try {
        const place = (await openPlace()).with({ url: service.url });
        const [{ email }, stranger] = [await createReachable(place), newAddress()];
        expect((await askCode(place, email)).status).toBe(200);
        const [known, unknown] = [await askCode(place, email), await askCode(place, stranger)];
        expect(known.body).toEqual(unknown.body);
        expect(errorOf(unknown)).toEqual({ status: 429, code: 'RATE_LIMIT_EXCEEDED' });
      } finally {
        await service.close();
      }
    });

    test('A74: no mail is sent to addresses without a user, while a backend can send codes to any address', async () => {
      const place = await openPlace();
      const { email } = await createReachable(place);
      const [stranger, shared] = [newAddress(), newAddress()];
      for (let count = 0; count < 2; count++) {
        const [user] = [
          { userName: `Twin ${count}`, userEmail: shared, apiKeys: [], authenticators: [], oauthProviders: [], userTags: [] },
        ];
        await place.result('createUsers', { users: [user] });
      }
      expect(await mailsOf(place)).toBe(0);
      for (const contact of [stranger, shared, stranger.toUpperCase()]) expect((await askCode(place, contact)).status).toBe(200);
      expect(await mailsOf(place)).toBe(0);
      await askCode(place, email);
      await place.result('initOtp', { otpType: 'OTP_TYPE_EMAIL', contact: stranger });
      expect(await mailsOf(place)).toBe(2);
    });

    test('D232: a code is sent to the stored address, regardless of the requested spelling', async () => {
      const place = await openPlace();
      const { email } = await createReachable(place);
      expect((await askCode(place, email.toUpperCase())).status).toBe(200);
      const reached = () => inbox.mails.find(({ to }) => to.toLowerCase() === email)?.to;
      await expect.poll(reached, { timeout: 30_000 }).toBeDefined();
      expect(reached()).toBe(email);
    });

    test('A80: sign-ins without a stamp cannot exhaust the mail and code quotas of a backend', async () => {
      const limits = { maxMailsPerSubOrganization: 4, maxOneTimeCodes: 10 };
      const service = await startService(subject().installation, { config: { ...config, ...limits } });
      try {
        const place = (await openPlace()).with({ url: service.url });
        const people = [await createReachable(place), await createReachable(place), await createReachable(place)];
        const asked = [];
        for (const { email } of people) asked.push((await askCode(place, email)).status);
        expect(asked).toEqual([200, 200, 429]);
        const invited = () => place.submit('initOtp', { otpType: 'OTP_TYPE_EMAIL', contact: newAddress() });
        expect([(await invited()).status, (await invited()).status, (await invited()).status]).toEqual([200, 200, 429]);
      } finally {
        await service.close();
      }
    });

    test('A82: sign-ins without a stamp use at most half of the daily storage quota', async () => {
      const service = await startService(subject().installation, { config: { ...config, maxMegabytesPerSubOrganization: 1 } });
      try {
        const place = (await openPlace()).with({ url: service.url });
        const { organizationId: id } = place;
        const { organizationId: parentId } = root();
        expect((await askCode(place, newAddress())).status).toBe(200);
        const limits = { maxMegabytes: 0, maxMegabytesPerSubOrganization: 1, maxMegabytesOfSubOrganizations: 0 };
        const owner = {
          target: { id },
          home: { id, profile: { parentId } },
          limits,
          isPublic: () => true,
          isEssential: () => true,
        };
        service.services.admission.storage.add(owner, 500_000);
        const refused = await askCode(place, newAddress());
        expect(errorOf(refused)).toEqual({ status: 429, code: 'RATE_LIMIT_EXCEEDED' });
        expect(refused.body.message).toContain('maxMegabytesPerSubOrganization');
        await place.result('createUsers', { users: [userParams()] });
      } finally {
        await service.close();
      }
    });

    test('A75: the relay of one organization has no effect in another', async () => {
      const [place, other] = [await openPlace(), await openPlace()];
      const { email } = await createReachable(place);
      await createReachable(other);
      const { key, token, otpId, otpCode } = await tokenFor(place, email);
      expect(refusal(await ask(other, 'otp_login', loginBody(token, key)))).toBe(BAD_TOKEN);
      expect(refusal(await ask(other, 'otp_verify', { otpId, otpCode, publicKey: key.publicKey }))).toBe('400 OTP_INVALID');
    });

    test('A75: registering the sign-in key of another organization yields no stamps', async () => {
      const place = await openPlace();
      const { publicKey } = await place.data('getSignInKey');
      const { caller: thief } = await createSubOrganization(root());
      const apiKeys = [{ apiKeyName: 'Theirs', publicKey, curveType: 'API_KEY_CURVE_P256' }];
      const user = { userName: 'Theirs', apiKeys, authenticators: [], oauthProviders: [], userTags: [] };
      await thief.result('createUsers', { users: [user] });
      expect((await thief.data('getSignInKey')).publicKey).not.toBe(publicKey);
      expect(refusal(await askCode(thief, newAddress()))).toBe('404 NOT_FOUND');
    });

    test('A75: relays only the four sign-in operations and their fields', async () => {
      const place = await openPlace();
      const { email } = await createReachable(place);
      const { key, token } = await tokenFor(place, email);
      const login = loginBody(token, key);
      const answers = [
        await ask(place, 'create_users', { users: [] }),
        await ask(place, 'stamp_login', { publicKey: key.publicKey }),
        await ask(place, 'otp_init', { otpType: 'OTP_TYPE_SMS', contact: '+15555550100' }),
        await ask(place, 'otp_init', { otpType: 'OTP_TYPE_EMAIL', contact: email, otpLength: 6, alphanumeric: false }),
        await ask(place, 'otp_init', { otpType: 'OTP_TYPE_EMAIL', contact: email, sendFromEmailSenderName: 'Your bank' }),
        await ask(place, 'otp_init', { type: 'ACTIVITY_TYPE_CREATE_USERS_V3', otpType: 'OTP_TYPE_EMAIL', contact: email }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 400, 400, 400, 400]);
      // D219: how long a session lasts, and what it may do, is not for the relay to ask.
      for (const more of [{ expirationSeconds: '2592000' }, { sessionProfileId: randomUUID() }])
        expect((await ask(place, 'otp_login', { ...login, ...more })).status).toBe(400);
      expect((await ask(place, 'otp_login', login)).status).toBe(200);
    });

    test('A76: a code yields a single-use token for one key', async () => {
      const place = await openPlace();
      const { email } = await createReachable(place);
      const { otpId } = (await askCode(place, email)).body;
      const otpCode = await newestCode(inbox, email);
      expect(errorOf(await ask(place, 'otp_verify', { otpId, otpCode })).fields).toEqual(['publicKey']);
      const [key, thief] = [newApiKey(), newApiKey()];
      const verified = await ask(place, 'otp_verify', { otpId, otpCode, publicKey: key.publicKey });
      const { verificationToken: token } = verified.body;
      // The code is used up, also for the key that it made the token for.
      for (const { publicKey } of [thief, key])
        expect(refusal(await ask(place, 'otp_verify', { otpId, otpCode, publicKey }))).toBe('400 OTP_INVALID');
      expect(refusal(await ask(place, 'otp_login', loginBody(token, thief)))).toBe(BAD_TOKEN);
      // Signed with another key than the token names, or for another session than the one that is asked for.
      const forAnother = { ...loginBody(token, key), publicKey: thief.publicKey };
      expect(refusal(await ask(place, 'otp_login', forAnother))).toBe(BAD_TOKEN);
      const login = loginBody(token, key);
      expect((await ask(place, 'otp_login', login)).status).toBe(200);
      expect(refusal(await ask(place, 'otp_login', login))).toMatch(/^400 /);
      expect(refusal(await ask(place, 'otp_login', { ...loginBody(token, key), publicKey: thief.publicKey }))).toBe(BAD_TOKEN);
    });

    test('A79: a token without a key does not open a session through the relay', async () => {
      const place = await openPlace();
      const { email } = await createReachable(place);
      const { otpId } = await place.result('initOtp', { otpType: 'OTP_TYPE_EMAIL', contact: email });
      const otpCode = await newestCode(inbox, email);
      const { verificationToken } = await place.result('verifyOtp', { otpId, otpCode });
      const thief = newApiKey();
      expect(refusal(await ask(place, 'otp_login', loginBody(verificationToken, thief)))).toBe(BAD_TOKEN);
      // The backend that asked for it may still log its user in.
      expect((await place.submit('otpLogin', { verificationToken, publicKey: newApiKey().publicKey })).status).toBe(200);
    });

    test('A81: the relay does not verify codes that a backend requested', async () => {
      const place = await openPlace();
      const { email } = await createReachable(place);
      const asked = { otpType: 'OTP_TYPE_EMAIL', contact: email, otpLength: 6, alphanumeric: false };
      const { otpId } = await place.result('initOtp', asked);
      const otpCode = await newestCode(inbox, email);
      const { publicKey } = newApiKey();
      const tried = [];
      for (const code of [otpCode, wrong(otpCode), wrong(otpCode), wrong(otpCode)])
        tried.push(refusal(await ask(place, 'otp_verify', { otpId, otpCode: code, publicKey })));
      expect(tried).toEqual(Array(4).fill('400 OTP_INVALID'));
      // It was no try, so the backend still takes the code.
      expect((await place.submit('verifyOtp', { otpId, otpCode })).status).toBe(200);
    });

    test('A77: an organization with the relay disabled looks unknown, immediately after it is disabled', async () => {
      const { caller: place } = await createSubOrganization(root());
      const { email } = await createReachable(place);
      const paths = { otp_init: { otpType: 'OTP_TYPE_EMAIL', contact: email }, wallet_kit_config: {} };
      const nowhere = { url: place.url, organizationId: randomUUID() };
      const answersOf = async (where: Pick<Caller, 'url' | 'organizationId'>) =>
        Promise.all(Object.entries(paths).map(async ([path, body]) => (await ask(where, path, body)).body));
      const unknown = await answersOf(nowhere);
      expect(unknown[0]).toMatchObject({ errorCode: 'NOT_FOUND' });
      expect(await answersOf(place)).toEqual(unknown);
      const { userId, policyId } = await openSignIn(place);
      expect((await askCode(place, email)).status).toBe(200);
      // Without its policy the user may do nothing, and the refusal tells nothing about policies.
      await place.result('deletePolicy', { policyId });
      expect((await askCode(place, email)).body).toEqual(unknown[0]);
      await place.result('deleteUsers', { userIds: [userId] });
      expect(await answersOf(place)).toEqual(unknown);
    });

    test('A77: a sign-in that needs approvals does not open a session', async () => {
      const { caller: place } = await createSubOrganization(root());
      const { email } = await createReachable(place);
      const { userId, policyId } = await openSignIn(place);
      const consensus = `approvers.any(user, user.id == '${userId}') && approvers.count() >= 2`;
      await place.result('updatePolicy', { policyId, policyConsensus: consensus });
      expect(refusal(await askCode(place, email))).toBe('404 NOT_FOUND');
      expect(await mailsOf(place)).toBe(0);
    });

    test('D217: sign-ins are rate limited per address and per organization, before anything is looked up', async () => {
      const limits = { ...config, signInsPerAddress: 1, signInsPerOrganization: 1 };
      const service = await startService(subject().installation, { config: limits });
      try {
        const nowhere = { url: service.url, organizationId: randomUUID() };
        const answers = [];
        for (let count = 0; count < 30; count++) answers.push(await ask(nowhere, 'otp_init', { not: 'read' }));
        const statuses = answers.map(({ status }) => status);
        expect(statuses.slice(0, 20)).toEqual(Array(20).fill(404));
        const refused = answers.find(({ status }) => status === 429);
        expect(refused?.body.message).toContain('signInsPerAddress');
        expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
      } finally {
        await service.close();
      }
    });

    test('D283: only the root quorum registers the sign-in key, wherever keys are registered', async () => {
      const { caller: place } = await createSubOrganization(root());
      const { publicKey } = await place.data('getSignInKey');
      const { caller: member, userId } = await createMember(place);
      const apiKeys = [{ apiKeyName: 'Mine', publicKey: publicKey.toUpperCase(), curveType: 'API_KEY_CURVE_P256' }];
      const consensus = `approvers.any(user, user.id == '${userId}')`;
      await place.result('createPolicy', { policyName: 'All', effect: 'EFFECT_ALLOW', condition: 'true', consensus, notes: '' });
      const { curveType: _, ...plainKey } = apiKeys[0] as (typeof apiKeys)[0];
      const attempts = [
        ['createApiKeys', { userId, apiKeys }],
        ['createUsers', { users: [{ ...userParams(), apiKeys }] }],
        ['createApiOnlyUsers', { apiOnlyUsers: [{ userName: 'Robot', userTags: [], apiKeys: [plainKey] }] }],
        ['stampLogin', { publicKey }],
        ['createSetupKey', { userId, publicKey }],
      ] as const;
      for (const [name, params] of attempts) {
        const { body } = await member.submit(name, params as never);
        // Pending until the root quorum approves, or rejected.
        const outcome = body.activity?.status ?? body.errorCode;
        expect([name, outcome]).toEqual([name, expect.stringMatching(/CONSENSUS_NEEDED|POLICY_DENIED|REQUEST_INVALID/)]);
      }
      const held = (await place.data('getApiKeys', {})).apiKeys.map(({ credential }: Json) => credential.publicKey);
      expect(held).not.toContain(publicKey);
      // Another key of the member, and the sign-in key for the root quorum, are registered.
      const own = { ...apiKeys[0], publicKey: newApiKey().publicKey };
      await member.result('createApiKeys', { userId, apiKeys: [own] });
      await openSignIn(place);
    });

    test('D283: a user of the parent who registers the key does not take the relay of a sub-organization over', async () => {
      const place = await openPlace();
      const { email } = await createReachable(place);
      const { publicKey } = await place.data('getSignInKey');
      const { caller: member, userId } = await createMember(root());
      const apiKeys = [{ apiKeyName: 'Theirs', publicKey, curveType: 'API_KEY_CURVE_P256' }];
      const { key, token } = await tokenFor(place, email);
      await member.result('createApiKeys', { userId, apiKeys });
      const answer = await ask(place, 'otp_login', loginBody(token, key));
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    });

    test('D219: root quorum members cannot sign in by mail or by an issuer', async () => {
      const place = await openPlace();
      const { userId, email, key: ownKey } = await createReachable(place);
      const { userId: rootId } = await place.data('whoami');
      const { key, token } = await tokenFor(place, email);
      const sub = newSubject();
      await link(place, userId, await issuer.idToken(sub, 'any'));
      await place.result('updateRootQuorum', { threshold: 1, userIds: [rootId, userId] });
      const login = loginBody(token, key);
      const oidcToken = await issuer.idToken(sub, nonceFor(key.publicKey));
      for (const [path, body] of [
        ['otp_login', login],
        ['oauth_login', { oidcToken, publicKey: key.publicKey }],
      ] as const)
        expect(refusal(await ask(place, path, body))).toBe('400 PRECONDITION_FAILED');
      const before = await mailsOf(place);
      expect((await askCode(place, email)).status).toBe(200);
      expect(await mailsOf(place)).toBe(before);
      // What a backend may do with the person's proof stays as it is.
      expect((await place.with({ key: ownKey }).submit('otpLogin', login)).status).toBe(200);
    });

    test('A78: sessions opened with a relay session do not outlive it', async () => {
      const place = await openPlace();
      const { email, userId } = await createReachable(place);
      const { key, token } = await tokenFor(place, email);
      expect((await ask(place, 'otp_login', loginBody(token, key))).status).toBe(200);
      const [second, third] = [newApiKey(), newApiKey()];
      const expirationSeconds = '2592000';
      await place.with({ key }).result('stampLogin', { publicKey: second.publicKey, expirationSeconds });
      await place.with({ key: second }).result('stampLogin', { publicKey: third.publicKey, expirationSeconds });
      const { apiKeys } = await place.data('getApiKeys', { userId });
      const lifetimes = apiKeys
        .filter(({ credential }: { credential: { type: string } }) => credential.type === 'CREDENTIAL_TYPE_LOGIN')
        .map((made: { expirationSeconds: string }) => Number(made.expirationSeconds));
      expect(lifetimes).toHaveLength(3);
      expect(Math.max(...lifetimes)).toBeLessThanOrEqual(900);
      // The same for whoever has an account at an issuer.
      const [sub, fourth, fifth] = [newSubject(), newApiKey(), newApiKey()];
      const other = await createMember(place);
      await link(place, other.userId, await issuer.idToken(sub, 'any'));
      const oidcToken = await issuer.idToken(sub, nonceFor(fourth.publicKey));
      expect((await ask(place, 'oauth_login', { oidcToken, publicKey: fourth.publicKey })).status).toBe(200);
      const { session } = await place
        .with({ key: fourth })
        .result('stampLogin', { publicKey: fifth.publicKey, expirationSeconds });
      expect(claimsOf(session).exp).toBeLessThanOrEqual(Date.now() / 1000 + 901);
    });

    test('D219: the session has the default lifetime, and a second user with the same key is refused', async () => {
      const place = await openPlace();
      const { email, userId } = await createReachable(place);
      const { key, token } = await tokenFor(place, email);
      const { session } = (await ask(place, 'otp_login', loginBody(token, key))).body;
      const { apiKeys } = await place.data('getApiKeys', { userId });
      const made = apiKeys.find(
        ({ credential }: { credential: { type: string } }) => credential.type === 'CREDENTIAL_TYPE_LOGIN',
      );
      expect(made.expirationSeconds).toBe('900');
      expect(claimsOf(session)).toMatchObject({ user_id: userId, organization_id: place.organizationId });
      const second = await createReachable(place);
      const again = await tokenFor(place, second.email, key);
      expect((await ask(place, 'otp_login', loginBody(again.token, key))).status).toBe(400);
    });
  },
  { config },
);

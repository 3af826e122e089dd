import { afterAll, describe, expect, test } from 'vitest';
import { CLIENT_ID, KEYS_PATH, TestIssuer } from '../../../packages/server/test/auth/oidc/test-issuer.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { countRows } from '../../support/raw-database.ts';
import { createMember, errorOf, madeUpId, subOrganizationParams, uniqueName, userParams } from '../../support/world.ts';
import { createCustomer } from './mail-support.ts';
import { link, newSubject, nonceFor, providerParams, trust } from './oidc-support.ts';

const GOOGLE = 'https://accounts.google.com';
const SECOND_CLIENT = 'client-2';
const issuer = await TestIssuer.start();
const other = await TestIssuer.start();
afterAll(() => Promise.all([issuer.close(), other.close()]));

const oidcIssuers = [
  trust(issuer.url, { audiences: [CLIENT_ID, SECOND_CLIENT] }),
  trust(other.url),
  // The operator sets where its keys are read, so that a server on loopback can replace it.
  trust(GOOGLE, { jwksUri: `${issuer.url}${KEYS_PATH}` }),
];

const claimed = (sub: string, more: object = {}) => ({
  providerName: uniqueName('Provider'),
  oidcClaims: { iss: issuer.url, aud: SECOND_CLIENT, sub, ...more },
});

describeEngines(
  'identities by claims',
  (subject) => {
    const root = () => subject().service.root.with({ dialect: 'turnkey' });
    const linkV2 = (caller: Caller, userId: string, oauthProviders: object[]) =>
      caller.submit('createOauthProviders', { userId, oauthProviders }, { type: 'ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2' });
    const linksOf = async (caller: Caller, userId: string) =>
      (await caller.data('getOauthProviders', { userId })).oauthProviders.map(
        ({ issuer: iss, audience, subject: sub }: Record<string, string>) => [iss, audience, sub],
      );
    const refusedAt = (field: string) => ({ status: 400, code: 'REQUEST_INVALID', fields: [field] });

    test('a token proves a person, and claims add another client id, which then signs in', async () => {
      const { userId } = await createMember(root());
      const sub = newSubject();
      const answer = await linkV2(root(), userId, [claimed(sub), providerParams(await issuer.token({ sub }))]);
      expect(answer.body.activity.result.createOauthProvidersResultV2.providerIds).toHaveLength(2);
      expect((await linksOf(root(), userId)).sort()).toEqual([
        [issuer.url, CLIENT_ID, sub],
        [issuer.url, SECOND_CLIENT, sub],
      ]);
      const key = newApiKey();
      const oidcToken = await issuer.token({ sub, aud: SECOND_CLIENT, nonce: nonceFor(key.publicKey) });
      expect((await root().submit('oauthLogin', { oidcToken, publicKey: key.publicKey })).status).toBe(200);
      expect(await root().with({ key }).data('whoami')).toMatchObject({ userId });
    });

    test('policies see whom a token or claims speak of', async () => {
      const [member, linked] = [await createMember(root()), await createMember(root())];
      const [sub, stranger] = [newSubject(), newSubject()];
      const { policyId } = await root().result('createPolicy', {
        policyName: uniqueName('Policy'),
        effect: 'EFFECT_ALLOW',
        condition: `activity.kind == 'CREATE_OAUTH_PROVIDERS' && activity.params.user_id == '${linked.userId}' && activity.params.oauth_providers.all(p, p.oidc_claims.iss == '${issuer.url}' && p.oidc_claims.sub == '${sub}')`,
        consensus: `approvers.any(user, user.id == '${member.userId}')`,
      });
      const attempt = async (...providers: object[]) => (await linkV2(member.caller, linked.userId, providers)).status;
      expect(await attempt(providerParams(await issuer.token({ sub: stranger })))).toBe(403);
      expect(await attempt(providerParams(await other.token({ sub })))).toBe(403);
      expect(await attempt(providerParams(await issuer.token({ sub })), claimed(sub))).toBe(200);
      await root().result('deletePolicy', { policyId });
    });

    test('an existing link proves the person as well, without contacting an issuer', async () => {
      const { userId } = await createMember(root());
      const sub = newSubject();
      await link(root(), userId, await issuer.token({ sub }));
      const asked = issuer.requests.length;
      expect((await linkV2(root(), userId, [claimed(sub)])).status).toBe(200);
      expect(issuer.requests).toHaveLength(asked);
    });

    test('new users and root users of sub-organizations may have claims next to their tokens', async () => {
      const [first, second] = [newSubject(), newSubject()];
      const providers = async (sub: string) => [providerParams(await issuer.token({ sub })), claimed(sub)];
      const user = { ...userParams(newApiKey()), oauthProviders: await providers(first) };
      const { userIds } = await root().result('createUsers', { users: [user] }, { type: 'ACTIVITY_TYPE_CREATE_USERS_V4' });
      expect(await linksOf(root(), userIds[0])).toHaveLength(2);
      const { userTags: _, ...rootUser } = { ...userParams(newApiKey()), oauthProviders: await providers(second) };
      const params = subOrganizationParams(newApiKey(), { rootUsers: [rootUser] });
      const type = 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8';
      const { subOrganizationId } = await root().result('createSubOrganization', params, { type });
      const filterValue = await issuer.token({ sub: second, aud: SECOND_CLIENT });
      expect(await root().data('listSuborgs', { filterType: 'OIDC_TOKEN', filterValue })).toEqual({
        organizationIds: [subOrganizationId],
      });
    });

    test('D29: unproven claims are refused and leave nothing behind', async () => {
      const { userId } = await createMember(root());
      const stranger = newSubject();
      const before = await countRows(subject().raw);
      const token = providerParams(await issuer.token({ sub: newSubject() }));
      const elsewhere = providerParams(await other.token({ sub: stranger }));
      const attempts: Record<string, [object[], number]> = {
        alone: [[claimed(stranger)], 0],
        'beside a token of somebody else': [[token, claimed(stranger)], 1],
        'beside a token of the same name at another issuer': [[elsewhere, claimed(stranger)], 1],
        'beside claims of the same person': [[claimed(stranger), claimed(stranger, { aud: CLIENT_ID })], 0],
      };
      for (const [name, [providers, index]] of Object.entries(attempts)) {
        const answer = await linkV2(root(), userId, providers);
        expect(errorOf(answer), name).toEqual(refusedAt(`oauthProviders.${index}.oidcClaims`));
      }
      const user = { ...userParams(newApiKey()), oauthProviders: [claimed(stranger)] };
      const users = await root().submit('createUsers', { users: [user] }, { type: 'ACTIVITY_TYPE_CREATE_USERS_V4' });
      expect(errorOf(users)).toEqual(refusedAt('users.0.oauthProviders.0.oidcClaims'));
      expect(await countRows(subject().raw)).toEqual(before);
    });

    test('another user’s link proves nothing, and an identity stays with its user', async () => {
      const [mine, theirs] = [await createMember(root()), await createMember(root())];
      const sub = newSubject();
      await link(root(), theirs.userId, await issuer.token({ sub }));
      expect(errorOf(await linkV2(root(), mine.userId, [claimed(sub)]))).toEqual(refusedAt('oauthProviders.0.oidcClaims'));
      expect((await linkV2(root(), theirs.userId, [claimed(sub)])).status).toBe(200);
      const again = await linkV2(root(), theirs.userId, [claimed(sub)]);
      expect(errorOf(again)).toEqual({
        status: 400,
        code: 'OAUTH_PROVIDER_ALREADY_EXISTS',
        fields: ['oauthProviders.0.oidcClaims'],
      });
    });

    test('D24: an issuer or audience that is not configured is refused, even next to a valid token', async () => {
      const { userId } = await createMember(root());
      const sub = newSubject();
      const token = providerParams(await issuer.token({ sub }));
      for (const claims of [{ aud: 'another' }, { iss: `${issuer.url}/` }, { iss: 'https://issuer.example' }]) {
        const answer = await linkV2(root(), userId, [token, claimed(sub, claims)]);
        expect(errorOf(answer), JSON.stringify(claims)).toEqual(refusedAt('oauthProviders.1.oidcClaims'));
      }
      expect(await linksOf(root(), userId)).toEqual([]);
    });

    test('a provider has either a token or claims, and no claims in the first version', async () => {
      const { userId } = await createMember(root());
      const sub = newSubject();
      const token = providerParams(await issuer.token({ sub }));
      for (const provider of [{ ...token, ...claimed(sub) }, { providerName: 'x' }])
        expect(errorOf(await linkV2(root(), userId, [provider]))).toEqual(refusedAt('oauthProviders.0'));
      const first = await root().submit('createOauthProviders', { userId, oauthProviders: [token, claimed(sub)] });
      expect(errorOf(first)).toMatchObject({ status: 400, code: 'REQUEST_INVALID' });
      expect(await linksOf(root(), userId)).toEqual([]);
    });

    describe('a parent, for a user of its sub-organization', () => {
      const google = (sub: string, claims: object) => issuer.token({ iss: GOOGLE, sub, ...claims });
      const linkBy = (caller: Caller, userId: string, oauthProviders: object[], type?: string) =>
        caller.submit('createOauthProviders', { userId, oauthProviders }, type === undefined ? {} : { type });

      test.each(['spec', 'turnkey'] as const)(
        'links an account at Google with the user’s own verified address, in the dialect %s',
        async (dialect) => {
          const { backend, own, userId, email } = await createCustomer(root());
          const sub = newSubject();
          const provider = providerParams(await google(sub, { email: email.toUpperCase(), email_verified: true }));
          const answer = await linkBy(backend.with({ dialect }), userId, [provider]);
          expect(answer.status, JSON.stringify(answer.body)).toBe(200);
          expect(await linksOf(own, userId)).toEqual([[GOOGLE, CLIENT_ID, sub]]);
          const key = newApiKey();
          const oidcToken = await google(sub, { nonce: nonceFor(key.publicKey) });
          expect((await backend.submit('oauthLogin', { oidcToken, publicKey: key.publicKey })).status).toBe(200);
          expect(await own.with({ key }).data('whoami')).toMatchObject({ userId });
        },
      );

      test('links nothing else, and a refusal leaves nothing behind', async () => {
        const { backend, own, userId, email } = await createCustomer(root());
        const sub = newSubject();
        const good = providerParams(await google(sub, { email, email_verified: true }));
        const refused: Record<string, object[]> = {
          'of another issuer': [providerParams(await issuer.token({ sub, email, email_verified: true }))],
          'of another address': [providerParams(await google(sub, { email: 'x@example.com', email_verified: true }))],
          'not verified': [providerParams(await google(sub, { email, email_verified: false }))],
          'verified by a text': [providerParams(await google(sub, { email, email_verified: 'true' }))],
          'verified by nobody': [providerParams(await google(sub, { email }))],
          'without an address': [providerParams(await google(sub, { email_verified: true }))],
          'one of two': [good, providerParams(await issuer.token({ sub, email, email_verified: true }))],
          'by claims': [good, { providerName: 'x', oidcClaims: { iss: GOOGLE, aud: CLIENT_ID, sub: newSubject() } }],
        };
        const before = await countRows(subject().raw);
        for (const [name, providers] of Object.entries(refused)) {
          const answer = await linkBy(backend, userId, providers, 'ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2');
          expect(errorOf(answer), name).toMatchObject({ status: 400, code: 'ORGANIZATION_MISMATCH' });
        }
        expect(errorOf(await linkBy(backend, madeUpId(), [good]))).toMatchObject({ status: 404 });
        const forged = providerParams(await other.token({ iss: GOOGLE, sub, email, email_verified: true }));
        expect(errorOf(await linkBy(backend, userId, [forged]))).toMatchObject({ status: 400, code: 'INVALID_OIDC_TOKEN' });
        expect(await countRows(subject().raw)).toEqual(before);
        expect(await linksOf(own, userId)).toEqual([]);
      });

      test('a user without an address gets no link, not even from a token without one', async () => {
        const { backend, own, userId } = await createCustomer(root());
        await own.result('updateUserEmail', { userId, userEmail: '' });
        for (const claims of [{}, { email_verified: true }, { email: '', email_verified: true }]) {
          const answer = await linkBy(backend, userId, [providerParams(await google(newSubject(), claims))]);
          expect(errorOf(answer)).toMatchObject({ status: 400, code: 'ORGANIZATION_MISMATCH' });
        }
      });

      test.each(['spec', 'turnkey'] as const)(
        'links nothing if the sub-organization has turned off sign-in by e-mail, in the dialect %s',
        async (dialect) => {
          const [mailed, codes] = ['FEATURE_NAME_EMAIL_AUTH', 'FEATURE_NAME_OTP_EMAIL_AUTH'];
          const { backend, own, userId, email } = await createCustomer(root());
          for (const name of [mailed, codes]) await own.result('removeOrganizationFeature', { name });
          const provider = providerParams(await google(newSubject(), { email, email_verified: true }));
          const linkIt = () => linkBy(backend.with({ dialect }), userId, [provider]);
          const before = await countRows(subject().raw);
          const refused = await linkIt();
          expect(refused).toMatchObject({ status: 400, body: { code: 9, message: expect.stringContaining('is off') } });
          for (const name of [mailed, codes, 'set_organization_feature']) expect(refused.body.message).toContain(name);
          expect(await countRows(subject().raw)).toEqual(before);
          expect(await linksOf(own, userId)).toEqual([]);
          // Its own users do not need that feature.
          expect((await linkBy(own, userId, [providerParams(await issuer.token({ sub: newSubject() }))])).status).toBe(200);
          await own.result('setOrganizationFeature', { name: dialect === 'spec' ? mailed : codes, value: '' });
          expect((await linkIt()).status).toBe(200);
        },
      );

      test('the parent’s policies decide who may', async () => {
        const { organizationId, userId, email } = await createCustomer(root());
        const { caller } = await createMember(root());
        const provider = providerParams(await google(newSubject(), { email, email_verified: true }));
        const answer = await linkBy(caller.with({ organizationId }), userId, [provider]);
        expect(errorOf(answer)).toEqual({ status: 403, code: 'REQUEST_NOT_AUTHORIZED' });
      });

      test('a sub-organization’s own users still link what their tokens prove', async () => {
        const { own, userId } = await createCustomer(root());
        const sub = newSubject();
        expect((await linkBy(own, userId, [providerParams(await issuer.token({ sub }))])).status).toBe(200);
      });
    });
  },
  { config: { oidcIssuers, bindIdentityLinks: false } },
);

import { afterAll, describe, expect, test } from 'vitest';
import { UNKNOWN_KEY_COOL_DOWN_MS } from '../../../packages/server/src/auth/oidc/key-sets.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { shapeOf } from '../../support/shape-of.ts';
import { createMember, createSubOrganization, uniqueName, userParams } from '../../support/world.ts';
import {
  apiKeysOf,
  link,
  NOT_BELIEVED,
  newSubject,
  newTarget,
  nonceFor,
  openBundle,
  providerParams,
  refusal,
  trust,
} from './oidc-support.ts';
import { REAL_CLIENT_ID, startRealIssuer } from './real-issuer.ts';

const issuer = await startRealIssuer();
const elliptic = await startRealIssuer('ES256');
afterAll(() => Promise.all([issuer.close(), elliptic.close()]));

const oidcIssuers = [issuer, elliptic].map(({ url }) => trust(url, { audiences: [REAL_CLIENT_ID] }));

const claimsOf = (session: string): Json => JSON.parse(Buffer.from(session.split('.')[1] ?? '', 'base64url').toString());

async function newPerson(root: Caller) {
  const member = await createMember(root);
  const sub = newSubject();
  await link(root, member.userId, await issuer.idToken(sub, 'any'));
  return { ...member, sub };
}

describeEngines(
  'OpenID Connect with a real issuer',
  (subject) => {
    describe.each(['spec', 'turnkey'] as const)('in the dialect %s', (dialect) => {
      test('ACTIVITY_TYPE_OAUTH is executed: a person gets an API key that only the target can open, and stamps with it', async () => {
        const root = subject().service.root.with({ dialect });
        const { userId, sub } = await newPerson(root);
        const target = newTarget();
        const params = {
          oidcToken: await issuer.idToken(sub, target.nonce),
          targetPublicKey: target.publicKey,
          apiKeyName: 'My phone',
          expirationSeconds: '600',
          invalidateExisting: true,
        };
        const answer = await root.submit('oauth', params);
        expect(answer.status, JSON.stringify(answer.body)).toBe(200);
        const { activity } = answer.body;
        const { intent, result } = activity.result.activity ?? activity;
        expect(intent).toEqual({ oauthIntent: params });
        expect(shapeOf(result)).toEqual({ oauthResult: { userId: 'string', apiKeyId: 'string', credentialBundle: 'string' } });
        expect(activity.type).toBe('ACTIVITY_TYPE_OAUTH');

        const { apiKeyId, credentialBundle } = result.oauthResult;
        const made = (await apiKeysOf(root, userId)).find((key) => key.apiKeyId === apiKeyId);
        expect(made).toMatchObject({
          apiKeyName: 'My phone',
          expirationSeconds: '600',
          credential: { type: 'CREDENTIAL_TYPE_OAUTH_KEY_P256' },
        });
        const key = openBundle(credentialBundle, target, made.credential.publicKey);
        expect(await root.with({ key }).data('whoami')).toMatchObject({ userId });
      });

      test('echoes defaults only in the spec dialect', async () => {
        const root = subject().service.root.with({ dialect });
        const { sub } = await newPerson(root);
        const target = newTarget();
        const params = { oidcToken: await issuer.idToken(sub, target.nonce), targetPublicKey: target.publicKey };
        const { activity } = (await root.submit('oauth', params)).body;
        const { oauthIntent } = (activity.result.activity ?? activity).intent;
        const defaults = {
          apiKeyName: expect.stringMatching(/^Oauth - 20\d\d-/),
          expirationSeconds: '900',
          invalidateExisting: false,
        };
        expect(oauthIntent).toEqual(dialect === 'spec' ? { ...params, ...defaults } : params);
      });

      test('a person logs in with the client’s key', async () => {
        const root = subject().service.root.with({ dialect });
        const { userId, sub } = await newPerson(root);
        const key = newApiKey();
        const oidcToken = await issuer.idToken(sub, nonceFor(key.publicKey));
        const beforeSeconds = Math.floor(Date.now() / 1000);
        const { session } = await root.result('oauthLogin', { oidcToken, publicKey: key.publicKey });
        expect(claimsOf(session)).toEqual({
          exp: expect.any(Number),
          public_key: key.publicKey,
          session_type: 'SESSION_TYPE_READ_WRITE',
          user_id: userId,
          organization_id: root.organizationId,
        });
        const lifeSeconds = claimsOf(session).exp - beforeSeconds;
        expect(lifeSeconds).toBeGreaterThanOrEqual(900);
        expect(lifeSeconds).toBeLessThan(930);
        expect(await root.with({ key }).data('whoami')).toMatchObject({ userId });
        const [made] = (await apiKeysOf(root, userId)).filter(({ credential }) => credential.publicKey === key.publicKey);
        expect(made).toMatchObject({ expirationSeconds: '900', credential: { type: 'CREDENTIAL_TYPE_LOGIN' } });
      });
    });

    test('by default the key is named after its time and lives fifteen minutes', async () => {
      const { service } = subject();
      const { userId, sub } = await newPerson(service.root);
      const target = newTarget();
      const oidcToken = await issuer.idToken(sub, target.nonce);
      const { apiKeyId, credentialBundle } = await service.root.result('oauth', { oidcToken, targetPublicKey: target.publicKey });
      const made = (await apiKeysOf(service.root, userId)).find((key) => key.apiKeyId === apiKeyId);
      expect(made.apiKeyName).toMatch(/^Oauth - \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      const caller = service.root.with({ key: openBundle(credentialBundle, target, made.credential.publicKey) });
      try {
        service.setAheadMs(890_000);
        expect((await caller.query('whoami')).status).toBe(200);
        service.setAheadMs(901_000);
        expect(refusal(await caller.query('whoami'))).toBe('401 API_KEY_EXPIRED');
      } finally {
        service.setAheadMs(0);
      }
    });

    test('the whole journey of a new customer: not found, signed up, found, signed in by the parent’s backend', async () => {
      const { root } = subject().service;
      const backend = await createMember(root);
      const key = newApiKey();
      const sub = newSubject();
      const oidcToken = await elliptic.idToken(sub, nonceFor(key.publicKey));
      const find = async (filterValue: string): Promise<string[]> =>
        (await root.data('listSuborgs', { filterType: 'OIDC_TOKEN', filterValue })).organizationIds;
      expect(await find(oidcToken)).toEqual([]);

      const { subOrganizationId, rootUserIds } = await root.result('createSubOrganization', {
        subOrganizationName: uniqueName('Customer'),
        rootUsers: [{ userName: 'Customer', apiKeys: [], authenticators: [], oauthProviders: [providerParams(oidcToken)] }],
        rootQuorumThreshold: 1,
      });
      expect(await find(oidcToken)).toEqual([subOrganizationId]);
      expect(await find(await elliptic.idToken(newSubject(), 'n'))).toEqual([]);
      const inside = root.with({ organizationId: subOrganizationId });
      const [provider] = (await inside.data('getOauthProviders')).oauthProviders;
      expect(provider).toMatchObject({ issuer: elliptic.url, audience: REAL_CLIENT_ID, subject: sub });

      const params = { oidcToken, publicKey: key.publicKey };
      const asBackend = backend.caller.with({ organizationId: subOrganizationId });
      const denied = await asBackend.submit('oauthLogin', params);
      expect(refusal(denied)).toBe('403 POLICY_DENIED');
      await root.result('createPolicy', {
        policyName: uniqueName('Policy'),
        effect: 'EFFECT_ALLOW',
        condition: "activity.resource == 'AUTH' && activity.action == 'CREATE'",
        consensus: `approvers.any(user, user.id == '${backend.userId}')`,
        notes: '',
      });
      const { session } = await asBackend.result('oauthLogin', params);
      expect(claimsOf(session)).toMatchObject({ user_id: rootUserIds[0], organization_id: subOrganizationId });
      expect(await inside.with({ key }).data('whoami')).toMatchObject({
        userId: rootUserIds[0],
        organizationId: subOrganizationId,
      });
      expect(refusal(await asBackend.submit('oauthLogin', params))).toBe(NOT_BELIEVED);
    });

    test('ACTIVITY_TYPE_OAUTH is refused to a parent if the identity is linked in another sub-organization', async () => {
      const { root } = subject().service;
      const [one, other] = [await createSubOrganization(root), await createSubOrganization(root)];
      const sub = newSubject();
      const target = newTarget();
      await link(one.caller, one.userId, await issuer.idToken(sub, 'n'));
      const params = { oidcToken: await issuer.idToken(sub, target.nonce), targetPublicKey: target.publicKey };
      expect(refusal(await root.with({ organizationId: other.organizationId }).submit('oauth', params))).toBe(NOT_BELIEVED);
      const { userId } = await root.with({ organizationId: one.organizationId }).result('oauth', params);
      expect(userId).toBe(one.userId);
    });

    test('users can be created with identities, and only the identity in a token is stored', async () => {
      const { service, raw } = subject();
      const sub = newSubject();
      const oidcToken = await issuer.idToken(sub, 'any');
      const provider = providerParams(oidcToken);
      const user = { ...userParams(newApiKey()), oauthProviders: [provider] };
      const { userIds } = await service.root.result('createUsers', { users: [user] });
      const { oauthProviders } = await service.root.data('getOauthProviders', { userId: userIds[0] });
      expect(oauthProviders).toMatchObject([
        { providerName: provider.providerName, issuer: issuer.url, audience: REAL_CLIENT_ID, subject: sub },
      ]);
      const signature = oidcToken.split('.')[2] ?? '';
      const records = await raw.all('SELECT body FROM records');
      expect(records.filter(({ body }) => String(body).includes(signature))).toEqual([]);
      expect(service.logText()).not.toContain(signature);
    });

    test('after the issuer changes its key, new tokens are accepted after the cool-down, and old ones no longer', async () => {
      const { service } = subject();
      const { sub } = await newPerson(service.root);
      const signIn = async (target: ReturnType<typeof newTarget>, oidcToken: string) =>
        service.root.submit('oauth', { oidcToken, targetPublicKey: target.publicKey });
      const [early, late, after] = [newTarget(), newTarget(), newTarget()];
      const old = await issuer.idToken(sub, early.nonce);
      await issuer.rotate();
      const fresh = await issuer.idToken(sub, late.nonce);
      try {
        expect(refusal(await signIn(late, fresh))).toBe(NOT_BELIEVED);
        service.setAheadMs(UNKNOWN_KEY_COOL_DOWN_MS + 1_000);
        const asked = issuer.requests.length;
        expect((await signIn(late, fresh)).status).toBe(200);
        expect(issuer.requests.slice(asked)).toEqual(['/.well-known/openid-configuration', '/jwks']);
        expect(refusal(await signIn(early, old))).toBe(NOT_BELIEVED);
        expect((await signIn(after, await issuer.idToken(sub, after.nonce))).status).toBe(200);
      } finally {
        service.setAheadMs(0);
      }
    });
  },
  { config: { oidcIssuers, bindIdentityLinks: false } },
);

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CLIENT_ID, forgedToken, newSigningKey, TestIssuer } from '../../../packages/server/test/auth/oidc/test-issuer.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Answer, Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { startService } from '../../support/service.ts';
import { createMember, createSubOrganization, subOrganizationParams, userParams } from '../../support/world.ts';
import { createPolicy, userIs } from '../policies/support.ts';
import {
  apiKeysOf,
  createLinkedMember,
  type LinkedMember,
  link,
  loginParams,
  NOT_BELIEVED,
  newSubject,
  newTarget,
  nonceFor,
  oauthParams,
  providerParams,
  refusal,
  trust,
} from './oidc-support.ts';

const issuer = await TestIssuer.start();
const second = await TestIssuer.start();
const trap = await TestIssuer.start();
afterAll(() => Promise.all([issuer.close(), second.close(), trap.close()]));

/** How many sign-ins with unexpired tokens a user may have in this suite. */
const MAX_USED_TOKENS = 12;

const oidcIssuers = [trust(issuer.url, { audiences: [CLIENT_ID, 'client-2'] }), trust(second.url)];

describeEngines(
  'attacks on sign-in by OpenID Connect',
  (subject) => {
    let root: Caller;
    let victim: LinkedMember;

    beforeAll(async () => {
      root = subject().service.root;
      victim = await createLinkedMember(root, issuer);
    });

    const keyCount = async () => (await apiKeysOf(root, victim.userId)).length;
    /** Tries to sign in as the victim with a token over these claims, for the attacker's target. */
    async function attempt(claims: Record<string, unknown>, from = issuer): Promise<string> {
      const { params } = await oauthParams(from, victim.sub, claims);
      const answer = await root.submit('oauth', params);
      return answer.status === 200 ? 'SIGNED IN' : refusal(answer);
    }

    test('a valid token signs the victim in, so the attacks below fail for their own reasons', async () => {
      expect(await attempt({})).toBe('SIGNED IN');
    });

    test('D23: unsigned, symmetric and self-signed tokens, and tokens with their own key', async () => {
      const before = await keyCount();
      const target = newTarget();
      const own = await newSigningKey();
      const claims = issuer.claims({ sub: victim.sub, nonce: target.nonce });
      const { kid } = issuer.newestKey;
      const forged = [
        forgedToken({ alg: 'none', kid }, claims),
        forgedToken({ alg: 'None', kid }, claims),
        `${forgedToken({ alg: 'none' }, claims).replace(/[^.]*$/, '')}`,
        forgedToken({ alg: 'HS256', kid }, claims, new Uint8Array(32)),
        await issuer.token({ sub: victim.sub, nonce: target.nonce }, {}, own),
        await issuer.token({ sub: victim.sub, nonce: target.nonce }, { kid }, own),
        await issuer.token({ sub: victim.sub, nonce: target.nonce }, { jwk: own.publicJwk }, own),
        await issuer.token({ sub: victim.sub, nonce: target.nonce }, { jku: `${trap.url}/keys` }, own),
        await issuer.token({ sub: victim.sub, nonce: target.nonce }, { x5u: `${trap.url}/keys` }, own),
        forgedToken({ alg: 'ES256', kid, crit: ['exp'] }, claims),
      ];
      for (const oidcToken of forged)
        expect(refusal(await root.submit('oauth', { oidcToken, targetPublicKey: target.publicKey })), oidcToken).toBe(
          NOT_BELIEVED,
        );
      expect(await keyCount()).toBe(before);
      expect(trap.requests).toEqual([]);
    });

    test('D24: the service contacts no issuer that is not configured, in any operation that takes a token', async () => {
      const asked = issuer.requests.length;
      const target = newTarget();
      const { port } = new URL(trap.url);
      const strangers = [
        trap.url,
        `${issuer.url}/`,
        `${issuer.url}@127.0.0.1:${port}`,
        `http://localhost:${port}`,
        'https://169.254.169.254',
      ];
      for (const iss of strangers) {
        const oidcToken = await trap.token({ iss, sub: victim.sub, nonce: target.nonce });
        const oauthProviders = [providerParams(oidcToken)];
        const answers: [string, Promise<Answer>][] = [
          ['oidcToken', root.submit('oauth', { oidcToken, targetPublicKey: target.publicKey })],
          ['oauthProviders.0.oidcToken', root.submit('createOauthProviders', { userId: victim.userId, oauthProviders })],
          [
            'users.0.oauthProviders.0.oidcToken',
            root.submit('createUsers', { users: [{ ...userParams(newApiKey()), oauthProviders }] }),
          ],
          [
            'rootUsers.0.oauthProviders.0.oidcToken',
            root.submit('createSubOrganization', {
              ...subOrganizationParams(newApiKey()),
              rootUsers: [{ userName: 'Somebody', apiKeys: [], authenticators: [], oauthProviders }],
            }),
          ],
          ['filterValue', root.query('listSuborgs', { filterType: 'OIDC_TOKEN', filterValue: oidcToken })],
        ];
        for (const [field, answer] of answers) expect(refusal(await answer), iss).toBe(`400 OIDC_TOKEN_INVALID ${field}`);
      }
      expect(trap.requests).toEqual([]);
      expect(issuer.requests.length).toBe(asked);
    });

    test('D25: a token that is also for others, or requested by another client', async () => {
      expect(await attempt({ aud: [CLIENT_ID, 'other'] })).toBe(NOT_BELIEVED);
      expect(await attempt({ aud: 'client' })).toBe(NOT_BELIEVED);
      expect(await attempt({ azp: 'other' })).toBe(NOT_BELIEVED);
      expect(await attempt({ aud: [CLIENT_ID], azp: CLIENT_ID })).toBe('SIGNED IN');
    });

    test('D26: a token works only with the key in its nonce', async () => {
      const target = newTarget();
      const bytes = createHash('sha256').update(Buffer.from(target.publicKey, 'hex')).digest('hex');
      const wrong = [
        undefined,
        '',
        target.publicKey,
        bytes,
        nonceFor(target.publicKey.toUpperCase()),
        target.nonce.toUpperCase(),
      ];
      for (const nonce of wrong) {
        const oidcToken = await issuer.token({ sub: victim.sub, nonce });
        const answer = await root.submit('oauth', { oidcToken, targetPublicKey: target.publicKey });
        expect(refusal(answer), String(nonce)).toBe(NOT_BELIEVED);
      }
      const stolen = await loginParams(issuer, victim.sub);
      const own = newApiKey();
      const answer = await root.submit('oauthLogin', { ...stolen.params, publicKey: own.publicKey });
      expect(refusal(answer)).toBe(NOT_BELIEVED);
      expect((await root.submit('oauthLogin', stolen.params)).status).toBe(200);
    });

    test('D27: expired, early and endless tokens', async () => {
      const now = Math.floor(Date.now() / 1000);
      expect(await attempt({ iat: now - 700, exp: now - 100 })).toBe(NOT_BELIEVED);
      expect(await attempt({ iat: now + 200, exp: now + 600 })).toBe(NOT_BELIEVED);
      expect(await attempt({ nbf: now + 200 })).toBe(NOT_BELIEVED);
      expect(await attempt({ iat: now, exp: now + 3601 })).toBe(NOT_BELIEVED);
    });

    describe('D28: a token works once', () => {
      test('not for another key, not again for the same key, not for the other operation; the same request gets the same answer', async () => {
        const { params } = await oauthParams(issuer, victim.sub);
        const body = root.submitBody('oauth', params);
        const first = await root.send(root.submitPath('oauth'), body);
        expect(first.status).toBe(200);
        expect((await root.send(root.submitPath('oauth'), body)).body).toEqual(first.body);
        expect(refusal(await root.submit('oauth', params))).toBe(NOT_BELIEVED);
        expect(refusal(await root.submit('oauth', { ...params, targetPublicKey: newTarget().publicKey }))).toBe(NOT_BELIEVED);
        expect(refusal(await root.submit('oauthLogin', { oidcToken: params.oidcToken, publicKey: newApiKey().publicKey }))).toBe(
          NOT_BELIEVED,
        );
        const encoded = Buffer.from(params.oidcToken).toString('base64');
        expect(refusal(await root.submit('oauth', { ...params, oidcToken: encoded }))).toBe(NOT_BELIEVED);
      });

      test('even with concurrent tries at two services', async () => {
        const other = await startService(subject().installation, { config: { oidcIssuers, bindIdentityLinks: false } });
        try {
          const { params } = await oauthParams(issuer, victim.sub);
          const before = await keyCount();
          const places = [root, root.with({ url: other.url })];
          const answers = await Promise.all(
            Array.from({ length: 12 }, (_, index) =>
              (places[index % 2] as Caller).submit('oauth', { ...params, apiKeyName: `Try ${index}` }),
            ),
          );
          expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 11 }, () => 400)]);
          expect(await keyCount()).toBe(Math.min(before + 1, 11));
        } finally {
          await other.close();
        }
      });

      test('used tokens are forgotten after they expire, and their number is limited', async () => {
        const { service, raw } = subject();
        const { caller, userId, organizationId } = await createSubOrganization(root);
        const sub = newSubject();
        await link(caller, userId, await issuer.token({ sub }));
        const remembered = async () => {
          const rows = await raw.all("SELECT organization_id FROM records WHERE kind = 'usedToken'");
          return rows.filter((row) => row.organization_id === organizationId).length;
        };
        const signIn = async () => caller.submit('oauth', (await oauthParams(issuer, sub)).params);
        for (let index = 0; index < MAX_USED_TOKENS; index++) expect((await signIn()).status).toBe(200);
        expect(await remembered()).toBe(MAX_USED_TOKENS);
        expect(refusal(await signIn())).toBe('409 LIMIT_EXCEEDED');
        try {
          // Expired after 660 seconds and remembered for 300 more: clocks of other nodes may be behind.
          for (const [aheadSeconds, count] of [
            [930, MAX_USED_TOKENS + 1],
            [1000, 2],
          ] as const) {
            service.setAheadMs(aheadSeconds * 1000);
            const later = Math.floor(Date.now() / 1000) + aheadSeconds;
            const { params } = await oauthParams(issuer, sub, { iat: later, exp: later + 600 });
            expect((await caller.submit('oauth', params)).status).toBe(200);
            expect(await remembered()).toBe(count);
          }
        } finally {
          service.setAheadMs(0);
        }
      });
    });

    test('D29: the same subject at another issuer or for another client, or the same e-mail, is somebody else', async () => {
      const email = 'victim@example.com';
      expect(await attempt({ iss: second.url }, second)).toBe(NOT_BELIEVED);
      expect(await attempt({ aud: 'client-2' })).toBe(NOT_BELIEVED);
      expect(await attempt({ sub: newSubject(), email, email_verified: true })).toBe(NOT_BELIEVED);
      expect(await attempt({ sub: victim.sub.toUpperCase() })).toBe(NOT_BELIEVED);
      expect(await attempt({ sub: ` ${victim.sub}` })).toBe(NOT_BELIEVED);
    });

    test('a removed link signs nobody in, and does not find its user', async () => {
      const member = await createMember(root);
      const sub = newSubject();
      const providerId = await link(root, member.userId, await issuer.token({ sub }));
      await root.result('deleteOauthProviders', { userId: member.userId, providerIds: [providerId] });
      const { params } = await oauthParams(issuer, sub);
      expect(refusal(await root.submit('oauth', params))).toBe(NOT_BELIEVED);
    });

    test('an identity belongs to one user in each organization', async () => {
      const other = await createMember(root);
      const oidcToken = await issuer.token({ sub: victim.sub });
      const oauthProviders = [providerParams(oidcToken)];
      for (const userId of [victim.userId, other.userId])
        expect(refusal(await root.submit('createOauthProviders', { userId, oauthProviders }))).toBe(
          '400 OAUTH_PROVIDER_TAKEN oauthProviders.0.oidcToken',
        );
      const twice = { ...userParams(newApiKey()), oauthProviders: [1, 2].map(() => providerParams(oidcToken)) };
      const elsewhere = await createSubOrganization(root);
      expect(refusal(await elsewhere.caller.submit('createUsers', { users: [twice] }))).toBe(
        '400 OAUTH_PROVIDER_TAKEN users.0.oauthProviders.1.oidcToken',
      );
      await link(elsewhere.caller, elsewhere.userId, oidcToken);
    });

    test('users link identities to themselves without a policy, and to nobody else', async () => {
      const [one, other] = [await createMember(root), await createMember(root)];
      const oauthProviders = [providerParams(await issuer.token({ sub: newSubject() }))];
      expect(refusal(await one.caller.submit('createOauthProviders', { userId: other.userId, oauthProviders }))).toBe(
        '403 POLICY_DENIED',
      );
      expect((await one.caller.submit('createOauthProviders', { userId: one.userId, oauthProviders })).status).toBe(200);
    });

    test('D55: a user with only a linked identity may end every session, but the link cannot be removed', async () => {
      const sub = newSubject();
      const oauthProviders = [providerParams(await issuer.token({ sub }))];
      const { subOrganizationId, rootUserIds } = await root.result('createSubOrganization', {
        ...subOrganizationParams(newApiKey()),
        rootUsers: [{ userName: 'Customer', apiKeys: [], authenticators: [], oauthProviders }],
      });
      const [userId] = rootUserIds;
      const inside = root.with({ organizationId: subOrganizationId });
      const login = await loginParams(issuer, sub);
      await inside.result('oauthLogin', login.params);
      const customer = inside.with({ key: login.key });
      const helper = await createMember(customer);
      await createPolicy(customer, 'ALLOW', { condition: "activity.resource == 'CREDENTIAL'", consensus: userIs(helper) });

      const [{ apiKeyId }] = await apiKeysOf(customer, userId);
      expect((await customer.submit('deleteApiKeys', { userId, apiKeyIds: [apiKeyId] })).status).toBe(200);
      const [{ providerId }] = (await helper.caller.data('getOauthProviders', { userId })).oauthProviders;
      expect(refusal(await helper.caller.submit('deleteOauthProviders', { userId, providerIds: [providerId] }))).toBe(
        '400 PRECONDITION_FAILED',
      );
      expect((await inside.submit('oauthLogin', (await loginParams(issuer, sub)).params)).status).toBe(200);
    });

    test('D32: an odd expirationSeconds is refused; invalidateExisting ends keys of the same kind and user', async () => {
      for (const expirationSeconds of ['0', '-1', '1.5', '1e20', '99999999999999999999', '', ' 60', 900]) {
        const { params } = await oauthParams(issuer, victim.sub);
        expect(refusal(await root.submit('oauth', { ...params, expirationSeconds })), String(expirationSeconds)).toBe(
          '400 REQUEST_INVALID expirationSeconds',
        );
      }
      const [one, other] = [await createLinkedMember(root, issuer), await createLinkedMember(root, issuer)];
      const signIn = async (sub: string, more: object = {}) =>
        root.result('oauth', { ...(await oauthParams(issuer, sub)).params, ...more });
      await signIn(one.sub);
      await signIn(other.sub);
      const login = await loginParams(issuer, one.sub);
      await root.result('oauthLogin', login.params);
      const { apiKeyId } = await signIn(one.sub, { invalidateExisting: true });
      const typesOf = async (userId: string) => (await apiKeysOf(root, userId)).map(({ credential }) => credential.type).sort();
      const [lasting, loggedIn, signedIn] = [
        'CREDENTIAL_TYPE_API_KEY_P256',
        'CREDENTIAL_TYPE_LOGIN',
        'CREDENTIAL_TYPE_OAUTH_KEY_P256',
      ];
      expect(await typesOf(one.userId)).toEqual([lasting, loggedIn, signedIn]);
      expect((await apiKeysOf(root, one.userId)).map((key) => key.apiKeyId)).toContain(apiKeyId);
      expect(await typesOf(other.userId)).toEqual([lasting, signedIn]);
    });

    test('D31: a target off the curve is refused, and the token stays usable', async () => {
      const { params } = await oauthParams(issuer, victim.sub);
      const bad = `04${'11'.repeat(64)}`;
      const oidcToken = await issuer.token({ sub: victim.sub, nonce: nonceFor(bad) });
      expect(refusal(await root.submit('oauth', { oidcToken, targetPublicKey: bad }))).toBe(
        '400 REQUEST_INVALID targetPublicKey',
      );
      expect((await root.submit('oauth', params)).status).toBe(200);
    });

    test('a session profile that does not exist is refused', async () => {
      const { params } = await loginParams(issuer, victim.sub);
      expect(refusal(await root.submit('oauthLogin', { ...params, sessionProfileId: 'p' }))).toBe(
        '404 NOT_FOUND sessionProfileId',
      );
    });
  },
  { config: { oidcIssuers, bindIdentityLinks: false, maxUsedTokens: MAX_USED_TOKENS } },
);

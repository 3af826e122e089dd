import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FAILURE_COOL_DOWN_MS, KEY_SET_MAX_AGE_MS } from '../../../packages/server/src/auth/oidc/key-sets.ts';
import { DISCOVERY_PATH, KEYS_PATH, newSigningKey, TestIssuer } from '../../../packages/server/test/auth/oidc/test-issuer.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import type { TestService } from '../../support/service.ts';
import { type Member, uniqueName } from '../../support/world.ts';
import { approve, createOrganization, detailsOf, outcomeOf, submitPending } from '../policies/support.ts';
import {
  createLinkedMember,
  link,
  NOT_BELIEVED,
  newSubject,
  oauthParams,
  providerParams,
  refusal,
  trust,
} from './oidc-support.ts';

const UNAVAILABLE = '503 ISSUER_UNAVAILABLE oidcToken';

/** Each test uses its own issuer. */
const issuers = await Promise.all(Array.from({ length: 2 * 10 }, () => TestIssuer.start()));
const trap = await TestIssuer.start();
const unused = [...issuers];
afterAll(() => Promise.all([...issuers, trap].map((each) => each.close())));

const config = { bindIdentityLinks: false, oidcIssuers: issuers.map(({ url }) => trust(url)) };

describeEngines(
  'failing issuers',
  (subject) => {
    let issuer: TestIssuer;
    let service: TestService;
    let root: Caller;

    beforeEach(() => {
      const next = unused.pop();
      if (next === undefined) throw new Error('there are more tests than issuers');
      issuer = next;
      service = subject().service;
      root = service.root;
    });
    afterEach(() => service?.setAheadMs(0));

    test('an unreachable issuer gives a clear answer and is left alone for a while; the same request works later', async () => {
      const { sub } = await createLinkedMember(root, issuer);
      const { params } = await oauthParams(issuer, sub);
      const body = root.submitBody('oauth', params);
      const send = () => root.send(root.submitPath('oauth'), body);
      issuer.answers.set(DISCOVERY_PATH, (_, response) => response.writeHead(503).end());
      service.setAheadMs(KEY_SET_MAX_AGE_MS + 1_000);
      issuer.requests.length = 0;
      for (let index = 0; index < 20; index++) expect(refusal(await send())).toBe(UNAVAILABLE);
      expect(issuer.requests).toEqual([DISCOVERY_PATH]);
      expect(service.logText()).not.toContain(params.oidcToken);

      const inTurnkey = root.with({ dialect: 'turnkey' });
      const answer = await inTurnkey.submit('oauth', params);
      expect([answer.status, answer.body.code, answer.body.turnkeyErrorCode]).toEqual([503, 14, 'INTERNAL']);

      issuer.answers.clear();
      service.setAheadMs(KEY_SET_MAX_AGE_MS + 1_000 + FAILURE_COOL_DOWN_MS);
      expect((await send()).status).toBe(200);
    });

    test('made-up key ids do not cause repeated requests', async () => {
      const { sub } = await createLinkedMember(root, issuer);
      issuer.requests.length = 0;
      const stranger = await newSigningKey();
      const { params } = await oauthParams(issuer, sub);
      const attempt = async (kid: string) => {
        const oidcToken = await issuer.token({ sub }, { kid }, stranger);
        return refusal(await root.submit('oauth', { ...params, oidcToken }));
      };
      const attempts = () => Promise.all(Array.from({ length: 30 }, (_, index) => attempt(`made-up-${index}`)));
      expect(new Set(await attempts())).toEqual(new Set([NOT_BELIEVED]));
      expect(issuer.requests).toEqual([]);
      service.setAheadMs(31_000);
      expect(new Set(await attempts())).toEqual(new Set([NOT_BELIEVED]));
      expect(issuer.requests).toEqual([DISCOVERY_PATH, KEYS_PATH]);
    });

    test('a slow issuer delays only requests with its tokens', async () => {
      const { sub } = await createLinkedMember(root, issuer);
      service.setAheadMs(KEY_SET_MAX_AGE_MS + 1_000);
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const reached = new Promise<void>((resolve) => {
        issuer.answers.set(DISCOVERY_PATH, async (_, response) => {
          resolve();
          await released;
          response.writeHead(200).end(JSON.stringify(issuer.discovery));
        });
      });
      const { params } = await oauthParams(issuer, sub);
      const waiting = root.submit('oauth', params);
      await reached;
      const others = Promise.all(
        Array.from({ length: 5 }, () => root.submit('createUserTag', { userTagName: uniqueName('Tag'), userIds: [] })),
      );
      const first = await Promise.race([others, waiting.then(() => 'the sign-in'), sleep(60_000, 'nobody', { ref: false })]);
      expect(first).toMatchObject(Array.from({ length: 5 }, () => ({ status: 200 })));
      release();
      expect((await waiting).status).toBe(200);
    });

    test('D24: a compromised issuer cannot send the service elsewhere', async () => {
      const { sub } = await createLinkedMember(root, issuer);
      const elsewhere = [
        `${trap.url}/keys`,
        `${trap.url.replace('http:', 'https:')}/keys`,
        'https://169.254.169.254/latest/meta-data/',
        'file:///etc/passwd',
      ];
      let aheadMs = KEY_SET_MAX_AGE_MS + 1_000;
      for (const jwks_uri of elsewhere) {
        service.setAheadMs(aheadMs);
        issuer.answerJson(DISCOVERY_PATH, { ...issuer.discovery, jwks_uri });
        expect(refusal(await root.submit('oauth', (await oauthParams(issuer, sub)).params)), jwks_uri).toBe(UNAVAILABLE);
        aheadMs += FAILURE_COOL_DOWN_MS;
      }
      issuer.answers.set(DISCOVERY_PATH, (_, response) =>
        response.writeHead(302, { location: `${trap.url}${DISCOVERY_PATH}` }).end(),
      );
      service.setAheadMs(aheadMs);
      expect(refusal(await root.submit('oauth', (await oauthParams(issuer, sub)).params))).toBe(UNAVAILABLE);
      expect(trap.requests).toEqual([]);
    });

    test('an unauthenticated request contacts no issuer', async () => {
      const { params } = await oauthParams(issuer, newSubject());
      const stranger = root.with({ key: newApiKey() });
      expect(refusal(await stranger.submit('oauth', params))).toBe('401 PUBLIC_KEY_NOT_FOUND');
      expect(refusal(await stranger.query('listSuborgs', { filterType: 'OIDC_TOKEN', filterValue: params.oidcToken }))).toBe(
        '401 PUBLIC_KEY_NOT_FOUND',
      );
      expect(issuer.requests).toEqual([]);
    });

    describe('approvals', () => {
      async function pendingLink() {
        const organization = await createOrganization(root, { roots: 2, threshold: 2, members: 1 });
        const [a, b] = organization.roots as [Member, Member];
        const userId = organization.members[0]?.userId ?? '';
        const oauthProviders = [providerParams(await issuer.token({ sub: newSubject() }))];
        return { a, b, userId, pending: await submitPending(a.caller, 'createOauthProviders', { userId, oauthProviders }) };
      }

      test('a token is checked again at the approval, and counts until it expires', async () => {
        const { b, userId, pending } = await pendingLink();
        expect(outcomeOf(await approve(b, pending))).toBe('200 COMPLETED');
        expect((await b.caller.data('getOauthProviders', { userId })).oauthProviders).toHaveLength(1);
      });

      test('an approval after the token has expired ends the activity', async () => {
        const { b, userId, pending } = await pendingLink();
        service.setAheadMs(661_000);
        expect(outcomeOf(await approve(b, pending))).toBe('200 FAILED');
        const { failure } = await detailsOf(b.caller, pending.id);
        expect(failure.message).toBe('invalid OIDC token: it has expired. Get a new token from the issuer.');
        expect((await b.caller.data('getOauthProviders', { userId })).oauthProviders).toEqual([]);
      });

      test('an approval while the issuer is down does not count and can be repeated', async () => {
        const { b, pending } = await pendingLink();
        issuer.answers.set(KEYS_PATH, (_, response) => response.writeHead(500).end());
        service.setAheadMs(KEY_SET_MAX_AGE_MS + 1_000);
        expect(outcomeOf(await approve(b, pending))).toBe('503 ISSUER_UNAVAILABLE');
        expect((await detailsOf(b.caller, pending.id)).status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
        issuer.answers.clear();
        service.setAheadMs(KEY_SET_MAX_AGE_MS + 1_000 + FAILURE_COOL_DOWN_MS);
        expect(outcomeOf(await approve(b, pending))).toBe('200 COMPLETED');
      });
    });

    test('a simulation does not use up the token', async () => {
      const { sub } = await createLinkedMember(root, issuer);
      const { params } = await oauthParams(issuer, sub);
      const simulated = await root.query('simulateActivity', { type: 'ACTIVITY_TYPE_OAUTH', parameters: params });
      expect(simulated.status, JSON.stringify(simulated.body)).toBe(200);
      expect((await root.submit('oauth', params)).status).toBe(200);
    });

    test('more links than a user may have are refused', async () => {
      const { userId } = await createLinkedMember(root, issuer);
      for (let index = 1; index < 10; index++) await link(root, userId, await issuer.token({ sub: newSubject() }));
      const oauthProviders = [providerParams(await issuer.token({ sub: newSubject() }))];
      expect(refusal(await root.submit('createOauthProviders', { userId, oauthProviders }))).toBe('409 LIMIT_EXCEEDED');
    });
  },
  { config },
);

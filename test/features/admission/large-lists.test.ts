import { setTimeout as sleep } from 'node:timers/promises';
import { dialects, MAX_IN_ORGANIZATION_CHARACTERS } from '@countersign/contract';
import { beforeAll, expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { startService, type TestService } from '../../support/service.ts';
import { changed, insert, one } from '../../support/tamper/tamper-case.ts';
import {
  apiKeyParams,
  createPrivateKey,
  createSubOrganization,
  createWallet,
  errorOf,
  uniqueName,
  userParams,
} from '../../support/world.ts';

/** As long as notes may be. */
const notes = 'n'.repeat(16_384);
const COUNT = 140;
const policyParams = () => ({ policyName: uniqueName('Policy'), effect: 'EFFECT_DENY', condition: 'true', notes });

describeEngines(
  'D250: an organization with large lists',
  (subject) => {
    let second: TestService;
    /** The same root user, at each of two services. */
    let here: Caller;
    let there: Caller;

    const shown = async (caller: Caller): Promise<Json> => (await caller.data('getOrganization')).organizationData;

    beforeAll(async () => {
      const { installation, service } = subject();
      second = await startService(installation);
      here = (await createSubOrganization(service.root)).caller;
      there = here.with({ url: second.url });
      return () => second.close();
    });

    test.each(Object.keys(dialects) as (keyof typeof dialects)[])('is shown as it is, time and again, in %s', async (dialect) => {
      const asked = here.with({ dialect });
      const before = await shown(asked);
      expect(await shown(asked)).toEqual(before);
      const { userIds } = await here.result('createUsers', { users: [userParams()] });
      const grown = await shown(asked);
      expect(grown.users.map(({ userId }: Json) => userId)).toEqual([
        ...before.users.map(({ userId }: Json) => userId),
        ...userIds,
      ]);
      await here.result('deleteUsers', { userIds });
      expect((await shown(asked)).users).toEqual(before.users);
    });

    test('what another node changes is seen at once, records as keys', async () => {
      await shown(here);
      await shown(there);
      const privateKeyId = await createPrivateKey(there);
      const { walletId } = await createWallet(here);
      for (const caller of [here, there]) {
        const { privateKeys, wallets } = await shown(caller);
        expect(privateKeys.map((key: Json) => key.privateKeyId)).toContain(privateKeyId);
        expect(wallets.map((wallet: Json) => wallet.walletId)).toContain(walletId);
      }
      await there.result('deletePrivateKeys', { privateKeyIds: [privateKeyId], deleteWithoutExport: true });
      expect((await shown(here)).privateKeys.map((key: Json) => key.privateKeyId)).not.toContain(privateKeyId);
    });

    test('a stranger is not shown it, also where its text is kept', async () => {
      await shown(here);
      const { caller } = await createSubOrganization(subject().service.root);
      const stranger = caller.with({ organizationId: here.organizationId });
      expect(errorOf(await stranger.query('getOrganization'))).toMatchObject({ status: 401 });
    });

    test('it is made once for a state: what was shown does not depend on the database any more', async () => {
      const { raw } = subject();
      const { caller } = await createSubOrganization(subject().service.root);
      const privateKeyId = await createPrivateKey(caller);
      const before = await shown(caller);
      const row = await one(raw, 'SELECT * FROM resources WHERE id = ?', privateKeyId);
      await changed(raw.run('DELETE FROM resources WHERE id = ?', privateKeyId));
      expect(await shown(caller)).toEqual(before);
      await insert(raw, 'resources', row);
    });

    test('a key that is away from the database for a moment is shown when it is back', async () => {
      const { raw } = subject();
      const { caller } = await createSubOrganization(subject().service.root);
      const privateKeyId = await createPrivateKey(caller);
      const row = await one(raw, 'SELECT * FROM resources WHERE id = ?', privateKeyId);
      await changed(raw.run('DELETE FROM resources WHERE id = ?', privateKeyId));
      const without = await shown(caller);
      expect(without.privateKeys).toEqual([]);
      expect(without).not.toHaveProperty('leftOut');
      await insert(raw, 'resources', row);
      expect((await shown(caller)).privateKeys).toMatchObject([{ privateKeyId }]);
    });

    test('a list is shown as far as it fits, and the rest is told of', async () => {
      for (let made = 0; made < COUNT; made += 35)
        await here.result('createPolicies', { policies: Array.from({ length: 35 }, policyParams) });
      const { policies, leftOut } = await shown(here);
      expect(JSON.stringify(policies).length).toBeLessThan(MAX_IN_ORGANIZATION_CHARACTERS + 200);
      expect(leftOut).toEqual([{ list: 'policies', count: COUNT - policies.length, query: 'list_policies' }]);
      expect(policies.length).toBeGreaterThan(100);
      const listed = (await here.data('listPolicies')).policies;
      expect(listed).toHaveLength(COUNT);
      expect(listed.slice(0, policies.length)).toEqual(policies);
    });

    test('D195: who waited for a long list while the credential ended is refused', async () => {
      const key = newApiKey();
      const { userId } = await here.data('whoami');
      const { apiKeyIds } = await here.result('createApiKeys', { userId, apiKeys: [apiKeyParams(key)] });
      const { longAnswers } = subject().service.services;
      // All places are taken.
      const others = Array.from({ length: 4 }, () => longAnswers.begin('others'));
      for (const other of others) await other.endSlice(1_000_000);
      const lists = [here.query('listPolicies'), here.with({ key }).query('listPolicies')];
      expect(await Promise.race([...lists, sleep(300, 'waits')])).toBe('waits');
      expect((await here.query('listPolicies', { paginationOptions: { limit: '10' } })).status).toBe(200);
      await here.result('deleteApiKeys', { userId, apiKeyIds });
      for (const other of others) other.end();
      expect((await Promise.all(lists)).map(({ status }) => status)).toEqual([200, 401]);
    });

    test('past activities that are named are shown once each, and not more than fits', async () => {
      for (let again = 0; again < 4; again++) {
        const { policyIds } = await here.result('createPolicies', { policies: Array.from({ length: 35 }, policyParams) });
        await here.result('deletePolicies', { policyIds });
      }
      const filterByType = ['ACTIVITY_TYPE_CREATE_POLICIES'];
      const ids: string[] = [];
      for (let after: string | undefined; ids.length < 8; after = ids.at(-1)) {
        const paginationOptions = { limit: '100', ...(after !== undefined && { after }) };
        const { activities } = await here.data('listActivities', { filterByType, paginationOptions });
        ids.push(...activities.map(({ id }: Json) => id));
      }
      const [newest = '', second = ''] = ids;
      const activityIds = Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? newest : second));
      const { requests, states } = await here.data('listPastRequests', { activityIds });
      expect(requests.map(({ activityId }: Json) => activityId)).toEqual([second, newest]);
      expect(states).toHaveLength(2);
      const refused = await here.query('listPastRequests', { activityIds: ids });
      expect(errorOf(refused)).toMatchObject({ status: 400, code: 'REQUEST_INVALID' });
      expect(refused.body.message).toMatch(/Ask for fewer/);
    });
  },
  { config: { maxPolicies: 200 } },
);

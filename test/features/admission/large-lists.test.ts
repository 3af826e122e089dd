import { dialects, MAX_IN_ORGANIZATION_CHARACTERS } from '@countersign/contract';
import { beforeAll, expect, test } from 'vitest';
import { interfaceParams } from '../../support/activity-params.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { startService, type TestService } from '../../support/service.ts';
import { changed, insert, one } from '../../support/tamper/tamper-case.ts';
import { createPrivateKey, createSubOrganization, createWallet, errorOf, uniqueName, userParams } from '../../support/world.ts';

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

    test.each(Object.keys(dialects) as (keyof typeof dialects)[])(
      'is shown unchanged on repeated requests, in %s',
      async (dialect) => {
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
      },
    );

    test('changes of another node are visible immediately, of records and of keys', async () => {
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

    test('is not shown to another organization', async () => {
      await shown(here);
      const { caller } = await createSubOrganization(subject().service.root);
      const stranger = caller.with({ organizationId: here.organizationId });
      expect(errorOf(await stranger.query('getOrganization'))).toMatchObject({ status: 401 });
    });

    test('a key that is temporarily missing from the database is shown once it is back', async () => {
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

    test('a list is shown as far as it fits, with the number of omitted items', async () => {
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

    test('activities with long texts are shortened in a list, which is as long as it may be', async () => {
      for (let again = 0; again < 4; again++) {
        const { policyIds } = await here.result('createPolicies', { policies: Array.from({ length: 35 }, policyParams) });
        await here.result('deletePolicies', { policyIds });
      }
      const filterByType = ['ACTIVITY_TYPE_CREATE_POLICIES'];
      for (const dialect of Object.keys(dialects) as (keyof typeof dialects)[]) {
        const asked = here.with({ dialect });
        const page = async (paginationOptions: object): Promise<Json[]> =>
          (await asked.data('listActivities', { filterByType, paginationOptions })).activities;
        const all = await page({ limit: '100' });
        // Each has more than half a megabyte.
        expect(all).toHaveLength(8);
        expect(JSON.stringify(all).length).toBeLessThan(8 * 32_768);
        const [first, , third, , , , , last] = all;
        expect(await page({ limit: '2', after: first.id })).toEqual(all.slice(1, 3));
        expect(await page({ limit: '4', before: last.id })).toEqual(all.slice(3, 7));
        const { activity } = await asked.data('getActivity', { activityId: third.id });
        const { warnings, comparison, ...whole } = activity;
        expect(warnings.length).toBeGreaterThan(35);
        expect(comparison).toMatchObject({ omitted: expect.any(Number) });
        expect(JSON.stringify(comparison).length).toBeLessThan(131_072);
        expect(whole).not.toHaveProperty('shortened');
        expect(whole.votes[0].message.length).toBeGreaterThan(35 * notes.length);
        expect(third).toEqual({
          ...whole,
          intent: {},
          result: {},
          votes: [{ ...whole.votes[0], message: '' }],
          shortened: { fields: ['intent', 'votes.message', 'result', 'warnings', 'comparison'], query: 'get_activity' },
        });
      }
    });

    test('interfaces and policies with long texts are shortened in a list, and whole by themselves', async () => {
      const functions = Array.from({ length: 400 }, (_, at) => ({
        ...{ type: 'function', name: `f${at}`, inputs: [], outputs: [], stateMutability: 'view' },
      }));
      const smartContractInterface = JSON.stringify(functions);
      const { smartContractInterfaceId } = await here.result('createSmartContractInterface', {
        ...interfaceParams(),
        smartContractInterface,
      });
      const { smartContractInterfaces } = await here.data('listSmartContractInterfaces');
      const { smartContractInterface: whole } = await here.data('getSmartContractInterface', { smartContractInterfaceId });
      expect(whole).toMatchObject({ smartContractInterface });
      const marker = { fields: ['smartContractInterface'], query: 'get_smart_contract_interface' };
      expect(smartContractInterfaces).toEqual([{ ...whole, smartContractInterface: '', shortened: marker }]);
      const addresses = Array.from({ length: 650 }, () => `'${interfaceParams().smartContractAddress}'`);
      const condition = `eth.tx.to in [${addresses.join(', ')}]`;
      const { policyId } = await here.result('createPolicy', { ...policyParams(), condition });
      const options = { paginationOptions: { limit: '1' } };
      const { policy } = await here.data('getPolicy', { policyId });
      expect(policy).toMatchObject({ condition, notes });
      const shortened = { fields: ['notes'], query: 'get_policy' };
      expect((await here.data('listPolicies', options)).policies).toEqual([{ ...policy, notes: '', shortened }]);
    });

    test('named past activities are shown once each, as far as they fit', async () => {
      const filterByType = ['ACTIVITY_TYPE_CREATE_POLICIES'];
      const { activities } = await here.data('listActivities', { filterByType, paginationOptions: { limit: '100' } });
      const ids: string[] = activities.map(({ id }: Json) => id);
      const [newest = '', second = ''] = ids;
      const activityIds = Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? newest : second));
      const { requests, states } = await here.data('listPastRequests', { activityIds });
      expect(requests.map(({ activityId }: Json) => activityId)).toEqual([second, newest]);
      expect(states).toHaveLength(2);
      const refused = await here.query('listPastRequests', { activityIds: ids });
      expect(errorOf(refused)).toMatchObject({ status: 400, code: 'REQUEST_INVALID' });
      expect(refused.body.message).toMatch(/Request fewer/);
    });
  },
  { config: { maxPolicies: 200 } },
);

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Anvil, missingAnvil, startAnvil, withAnvil } from '../../support/anvil.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { type Engine, engines, type Installation, preparedEngines } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createMember, createSubOrganization, errorOf } from '../../support/world.ts';
import { CHAIN, confirm, fundedAccount, pay, reach, sendingConfig, statusOf } from './support.ts';

describe.skipIf(missingAnvil !== undefined).each(Object.keys(engines) as Engine[])(
  withAnvil('the list of sent transactions on %s'),
  (engine) => {
    let anvil: Anvil;
    let installation: Installation;
    let service: TestService;
    let owner: Caller;
    let first: string;
    let second: string;
    /** Oldest first: three of the first account, of which two are final, then two of the second one. */
    let ids: string[];

    const list = async (caller: Caller, fields: object = {}): Promise<Json[]> =>
      (await caller.data('listSendTransactions', fields)).transactions;
    const idsOf = async (fields: object = {}, caller = owner): Promise<string[]> =>
      (await list(caller, fields)).map(({ sendTransactionStatusId }) => sendTransactionStatusId);
    const newestFirst = (...places: number[]) => places.map((place) => ids[place]).reverse();

    beforeAll(async () => {
      anvil = await startAnvil();
      installation = await preparedEngines[engine]();
      service = await startService(installation, { config: sendingConfig([anvil.url]) });
      owner = (await createSubOrganization(service.root)).caller;
      first = await fundedAccount(owner, anvil);
      second = await fundedAccount(owner, anvil);
      ids = [await pay(owner, first), await pay(owner, first)];
      for (const id of ids) await confirm(owner, anvil, id);
      await anvil.call('evm_setAutomine', [false]);
      for (const from of [first, second, second]) {
        const id = await pay(owner, from);
        await reach(owner, id, 'BROADCASTING');
        ids.push(id);
      }
    });
    afterAll(async () => {
      await service?.close();
      await installation?.remove();
      await anvil?.stop();
    });

    test('shows each as its own query does, newest first', async () => {
      const transactions = await list(owner);
      expect(transactions.map((each) => each.sendTransactionStatusId)).toEqual(newestFirst(0, 1, 2, 3, 4));
      for (const { sendTransactionStatusId, ...shown } of transactions)
        expect(shown).toEqual(await statusOf(owner, sendTransactionStatusId));
      const { activity } = await owner.data('getActivity', { activityId: transactions[0]?.transaction.activityId });
      expect(activity.result.ethSendTransactionResult.sendTransactionStatusId).toBe(ids[4]);
      expect(await list(owner.with({ dialect: 'turnkey' }))).toEqual(transactions);
    });

    test('filters by account and chain, also together', async () => {
      expect(await idsOf({ address: first })).toEqual(newestFirst(0, 1, 2));
      expect(await idsOf({ address: first.toLowerCase() })).toEqual(newestFirst(0, 1, 2));
      expect(await idsOf({ caip2: CHAIN })).toEqual(newestFirst(0, 1, 2, 3, 4));
      expect(await idsOf({ caip2: 'eip155:1' })).toEqual([]);
      expect(await idsOf({ address: first, caip2: CHAIN })).toEqual(newestFirst(0, 1, 2));
      expect(await idsOf({ address: first, caip2: 'eip155:1' })).toEqual([]);
      expect(await idsOf({ address: 'no address' })).toEqual([]);
    });

    test('pages go on in both directions', async () => {
      const page = (paginationOptions: object) => idsOf({ caip2: CHAIN, paginationOptions });
      expect(await page({ limit: '2' })).toEqual(newestFirst(3, 4));
      expect(await page({ limit: '2', after: ids[3] })).toEqual(newestFirst(1, 2));
      expect(await page({ limit: '2', after: ids[1] })).toEqual(newestFirst(0));
      expect(await page({ limit: '2', before: ids[0] })).toEqual(newestFirst(1, 2));
      expect(await page({ limit: '9', after: ids[4], before: ids[0] })).toEqual(newestFirst(1, 2, 3));
    });

    test('rejects filters that it does not understand', async () => {
      for (const fields of [{ filterByStatus: ['FAILED'] }, { caip2: 'Ethereum' }, { address: '' }])
        expect(errorOf(await owner.query('listSendTransactions', fields))).toMatchObject({
          status: 400,
          code: 'REQUEST_INVALID',
        });
    });

    test('shows nothing to other organizations, and a parent reads it', async () => {
      const other = await createSubOrganization(service.root);
      expect(await list(other.caller)).toEqual([]);
      expect(await list(service.root)).toEqual([]);
      const { organizationId } = owner;
      const foreign = await other.caller.query('listSendTransactions', { organizationId });
      const status = await other.caller.query('getSendTransactionStatus', { organizationId, sendTransactionStatusId: ids[0] });
      expect(foreign.status).not.toBe(200);
      expect(errorOf(foreign).code).toBe(errorOf(status).code);
      expect(await idsOf({ organizationId }, service.root)).toEqual(newestFirst(0, 1, 2, 3, 4));
    });

    test('a user who may not read activities does not read it', async () => {
      const { caller: restricted } = await createSubOrganization(service.root);
      const { caller: member } = await createMember(restricted);
      await restricted.result('setOrganizationFeature', { name: 'FEATURE_NAME_READ_POLICIES', value: '' });
      expect(errorOf(await member.query('listSendTransactions', {}))).toMatchObject({ status: 403, code: 'POLICY_DENIED' });
      expect(await list(restricted)).toEqual([]);
    });

    test('D950: a page with a row that was changed or moved in the database is rejected and reported', async () => {
      const raw = await installation.raw();
      const id = ids[1] as string;
      const isReported = () => service.alarms().some(({ what }) => what.includes(id));
      await raw.run(`UPDATE sends SET state = 'FAILED' WHERE id = '${id}'`);
      for (const fields of [{}, { caip2: CHAIN }, { address: first }])
        expect(errorOf(await owner.query('listSendTransactions', fields)).code).toBe('STATE_TAMPERED');
      expect(isReported()).toBe(true);
      expect(await idsOf({ address: second })).toEqual(newestFirst(3, 4));
      await raw.run(`UPDATE sends SET state = 'COMPLETED' WHERE id = '${id}'`);

      const thief = await createSubOrganization(service.root);
      const home = owner.organizationId;
      await raw.run(`UPDATE sends SET organization_id = '${thief.caller.organizationId}' WHERE id = '${id}'`);
      expect(errorOf(await thief.caller.query('listSendTransactions', {})).code).toBe('STATE_TAMPERED');
      await raw.run(`UPDATE sends SET organization_id = '${home}' WHERE id = '${id}'`);
      expect(await idsOf()).toEqual(newestFirst(0, 1, 2, 3, 4));
    });
  },
);

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { GasSponsor } from '../../../packages/server/src/config/gas-sponsors.ts';
import { type Anvil, missingAnvil, startAnvil, withAnvil } from '../../support/anvil.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { type Engine, engines, type Installation, preparedEngines } from '../../support/installation.ts';
import type { RawDatabase } from '../../support/raw-database.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createSubOrganization, errorOf, uniqueName } from '../../support/world.ts';
import { createOrganization } from '../catalogue/support/organizations.ts';
import { type Liar, startLiar } from './liar.ts';
import { balanceOf, countOf, createSponsor, emptyAccount, FEE, paySponsored, sponsored } from './sponsored-support.ts';
import { CHAIN, confirm, reach, replace, sendingConfig, statusOf } from './support.ts';

/** The gas that the transactions of an account took, oldest first. */
async function gasOf(anvil: Anvil, address: string): Promise<readonly number[]> {
  const used: number[] = [];
  const newest = Number(await anvil.call<string>('eth_blockNumber', []));
  for (let number = 0; number <= newest; number++) {
    const { transactions } = await anvil.call<Json>('eth_getBlockByNumber', [`0x${number.toString(16)}`, true]);
    for (const { from, hash } of transactions) {
      if (from.toLowerCase() !== address.toLowerCase()) continue;
      used.push(Number((await anvil.call<Json>('eth_getTransactionReceipt', [hash])).gasUsed));
    }
  }
  return used;
}

const twoPeople = (id: string) => `approvers.any(u, u.id == '${id}') && approvers.count() >= 2`;

describe.skipIf(missingAnvil !== undefined).each(Object.keys(engines) as Engine[])(
  withAnvil('attacks on sponsored gas on %s'),
  (engine) => {
    let anvil: Anvil;
    let liar: Liar;
    let installation: Installation;
    let service: TestService;
    let raw: RawDatabase;
    const gasSponsors: GasSponsor[] = [];

    beforeAll(async () => {
      anvil = await startAnvil();
      liar = await startLiar(anvil);
      installation = await preparedEngines[engine]();
      service = await startService(installation, { config: { ...sendingConfig([liar.url, anvil.url]), gasSponsors } });
      raw = await installation.raw();
    });
    beforeEach(() => {
      gasSponsors.length = 0;
      liar.lies.clear();
    });
    afterAll(async () => {
      await service?.close();
      await installation?.remove();
      await liar?.close();
      await anvil?.stop();
    });

    const needsApproval = (caller: Caller, id: string) =>
      expect.poll(async () => (await statusOf(caller, id)).transaction.lastError).toContain('needs approvals');

    test('D913: one endpoint that reports an empty account makes no sponsor pay', async () => {
      const { root } = service;
      const { sponsor, address } = await createSponsor(root, anvil);
      gasSponsors.push(sponsor);
      const from = await emptyAccount(root);
      await anvil.fund(from, 1);
      const isAsked = ([account]: readonly string[]) => account?.toLowerCase() === from.toLowerCase();
      liar.lies.set('eth_getBalance', (answer, params) => (isAsked(params) ? { result: '0x0' } : answer));
      const refused = await root.submit('ethSendTransaction', sponsored(from));
      expect(errorOf(refused).code).toBe('CHAIN_DISAGREEMENT');
      expect(await countOf(anvil, address)).toBe(0);
      liar.lies.clear();
      expect((await confirm(root, anvil, await paySponsored(root, from))).transaction.topUp).toBeUndefined();
    });

    test('D914: a sponsor does not sponsor itself', async () => {
      const { root } = service;
      const { sponsor, address } = await createSponsor(root, anvil);
      gasSponsors.push(sponsor);
      for (const from of [address, address.toLowerCase()]) {
        const refused = await root.submit('ethSendTransaction', sponsored(from));
        expect(errorOf(refused)).toMatchObject({ code: 'REQUEST_INVALID', fields: ['sponsor'] });
      }
      expect(await countOf(anvil, address)).toBe(0);
    });

    test('D915: other organizations use no sponsor, and learn nothing about it', async () => {
      const { root } = service;
      const stranger = await createOrganization(root, service);
      const { caller: sub } = await createSubOrganization(root);
      const requests = await Promise.all(
        [stranger, sub].map(async (caller) => [caller, sponsored(await emptyAccount(caller))] as const),
      );
      const answers = () => Promise.all(requests.map(([caller, params]) => caller.submit('ethSendTransaction', params)));
      const without = await answers();
      const { sponsor, address } = await createSponsor(sub, anvil);
      gasSponsors.push(sponsor);
      const [foreign, own] = await answers();
      expect(foreign?.body.message).toBe(without[0]?.body.message);
      expect(errorOf(foreign as never).code).toBe('NOT_OFFERED');
      expect(own?.status).toBe(200);
      const { activity } = await sub.data('getActivity', { activityId: own?.body.activity.id });
      // The sponsor of a sub-organization does not pay for its parent.
      const parent = await root.submit('ethSendTransaction', sponsored(await emptyAccount(root)));
      expect(errorOf(parent).code).toBe('NOT_OFFERED');
      await confirm(sub, anvil, activity.result.ethSendTransactionResult.sendTransactionStatusId);
      expect(await countOf(anvil, address)).toBe(1);
    });

    test('D916: limits of the sponsor’s organization count top-ups, also those of fees that were never used', async () => {
      const root = await createOrganization(service.root, service);
      // Two top-ups, and no third one.
      const threshold = `0.00000${(FEE * 25n) / 10n ** 12n}`.replace(/^0\.0+/, '0.000');
      await root.result('createVelocityControl', {
        name: uniqueName('Ether'),
        identifier: 'ether',
        dataSource: { chainAssetTransfer: { definition: [{ caip19: `${CHAIN}/slip44:60`, decimals: '18' }] } },
        aggregation: {
          method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_SUM',
          operator: 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL',
          threshold,
          window: { infinite: {} },
          groupBy: { organization: {} },
        },
      });
      const { sponsor, address } = await createSponsor(root, anvil, { condition: ' && controls.ether' });
      gasSponsors.push(sponsor);
      const { caller } = await createSubOrganization(root);
      const fresh = async () => paySponsored(caller, await emptyAccount(caller));
      for (const id of [await fresh(), await fresh()]) await confirm(caller, anvil, id);
      const third = await reach(caller, await fresh(), 'FAILED');
      expect(third.txError).toContain('POLICY_DENIED');
      expect(await countOf(anvil, address)).toBe(2);
    });

    test('D952: an account that obeys code makes no sponsor pay for its execution', async () => {
      const { root } = service;
      const { sponsor, address } = await createSponsor(root, anvil);
      gasSponsors.push(sponsor);
      const from = await emptyAccount(root);
      // KECCAK256 over 250,000 bytes: about 200,000 gas whenever the account receives something.
      const code = `0x${'99'.repeat(20)}`;
      await anvil.call('anvil_setCode', [code, '0x6203d09060002000']);
      await anvil.call('anvil_setCode', [from, `0xef0100${code.slice(2)}`]);
      const { txError } = await reach(root, await paySponsored(root, from), 'FAILED', () => anvil.mine(1));
      expect(txError).toContain('FAILED');
      expect(await countOf(anvil, address)).toBe(1);
      expect(await gasOf(anvil, address)).toEqual([21_000]);
    });

    test('D917: a sub-organization reads no error of its parent', async () => {
      const { root } = service;
      const { sponsor } = await createSponsor(root, anvil, { ether: 0 });
      gasSponsors.push(sponsor);
      const { caller } = await createSubOrganization(root);
      const { txError } = await reach(caller, await paySponsored(caller, await emptyAccount(caller)), 'FAILED');
      expect(txError).toContain('PRECONDITION_FAILED');
      expect(txError).not.toContain('0 wei');
      expect(service.logText()).toContain('The account has 0 wei');
    });

    test('D918: a transaction that waits for its sponsor is not replaced, and a later replacement is paid by the account', async () => {
      const { root } = service;
      const { sponsor, address } = await createSponsor(root, anvil, { consensus: twoPeople });
      gasSponsors.push(sponsor);
      const from = await emptyAccount(root);
      const id = await paySponsored(root, from);
      await needsApproval(root, id);
      for (const replacement of ['SPEED_UP', 'CANCEL']) {
        const refused = await replace(root, { from, sendTransactionStatusId: id, replacement });
        expect(errorOf(refused).code).toBe('PRECONDITION_FAILED');
        expect(refused.body.message).toContain('waits for its sponsor');
      }
      const { activities } = await root.data('listActivities', { filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'] });
      await anvil.call('evm_setAutomine', [false]);
      await root.submit('approveActivity', { fingerprint: activities[0].fingerprint });
      const waiting = async () => Number(await anvil.call<string>('eth_getTransactionCount', [address, 'pending']));
      await expect.poll(waiting).toBe(1);
      await anvil.mine(2);
      await reach(root, id, 'BROADCASTING');
      const refused = await replace(root, { from, sendTransactionStatusId: id, replacement: 'SPEED_UP' });
      expect(errorOf(refused).code).toBe('PRECONDITION_FAILED');
      expect(refused.body.message).toContain(`The account has ${FEE} wei`);
      await anvil.call('evm_setAutomine', [true]);
      await confirm(root, anvil, id);
      expect(await countOf(anvil, address)).toBe(1);
    });

    test('D919: a waiting transaction that was changed in the database is reported, and nothing is paid', async () => {
      const { root } = service;
      const { sponsor, address } = await createSponsor(root, anvil, { consensus: twoPeople });
      gasSponsors.push(sponsor);
      const from = await emptyAccount(root);
      const id = await paySponsored(root, from);
      await needsApproval(root, id);
      const before = await balanceOf(anvil, address);
      const edit = (from_: string, to: string) =>
        raw.run(`UPDATE sends SET body = replace(body, '${from_}', '${to}') WHERE id = '${id}'`);
      for (const [stored, forged] of [
        ['"isPaid":false', '"isPaid":true'],
        [`"amount":"${FEE}"`, '"amount":"9999999999999999"'],
        [sponsor.signWith, `0x${'22'.repeat(20)}`],
      ] as const) {
        await edit(stored, forged);
        expect(errorOf(await root.query('getSendTransactionStatus', { sendTransactionStatusId: id })).code).toBe(
          'STATE_TAMPERED',
        );
        await edit(forged, stored);
      }
      expect((await statusOf(root, id)).txStatus).toBe('INITIALIZED');
      expect([await balanceOf(anvil, address), await countOf(anvil, from)]).toEqual([before, 0]);
    });
  },
);

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Anvil, missingAnvil, startAnvil, withAnvil } from '../../support/anvil.ts';
import { type Engine, engines, type Installation, preparedEngines } from '../../support/installation.ts';
import type { RawDatabase } from '../../support/raw-database.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createMember, createSubOrganization, errorOf } from '../../support/world.ts';
import { type Liar, startLiar } from './liar.ts';
import { confirm, ETHER, fundedAccount, noncesOf, pay, payment, reach, sendingConfig, statusOf } from './support.ts';

describe.skipIf(missingAnvil !== undefined).each(Object.keys(engines) as Engine[])(
  withAnvil('attacks on sent transactions on %s'),
  (engine) => {
    let anvil: Anvil;
    let liar: Liar;
    let installation: Installation;
    let service: TestService;
    let raw: RawDatabase;

    beforeAll(async () => {
      anvil = await startAnvil();
      liar = await startLiar(anvil);
      installation = await preparedEngines[engine]();
      service = await startService(installation, { config: sendingConfig([anvil.url, liar.url]) });
      raw = await installation.raw();
    });
    afterAll(async () => {
      await service?.close();
      await installation?.remove();
      await liar?.close();
      await anvil?.stop();
    });

    test('D740: a DENY on signing a transaction also denies sending it', async () => {
      const { root } = service;
      const { caller, userId } = await createMember(root);
      const from = await fundedAccount(root, anvil);
      const policy = (policyName: string, effect: string, condition: string) =>
        root.result('createPolicy', {
          policyName,
          effect,
          consensus: `approvers.any(user, user.id == '${userId}')`,
          condition,
          notes: '',
        });
      await policy(`Sign ${engine}`, 'EFFECT_ALLOW', "activity.action == 'SIGN'");
      await pay(caller, from);
      await policy(`No more than one ${engine}`, 'EFFECT_DENY', "activity.kind == 'SIGN_TRANSACTION' && eth.tx.value > 1");
      await pay(caller, from);
      const denied = await caller.submit('ethSendTransaction', payment(from, { value: '2' }));
      expect(errorOf(denied)).toMatchObject({ status: 403, code: 'POLICY_DENIED' });
    });

    test('D742: nodes are not asked for users without rights, nor about accounts of others', async () => {
      const { root } = service;
      const from = await fundedAccount(root, anvil);
      const { caller } = await createMember(root);
      const other = await createSubOrganization(root);
      liar.asked.length = 0;
      expect(errorOf(await caller.submit('ethSendTransaction', payment(from))).code).toBe('POLICY_DENIED');
      expect(errorOf(await other.caller.submit('ethSendTransaction', payment(from))).code).toBe('SIGN_WITH_NOT_FOUND');
      expect(liar.asked.filter((each) => each.toLowerCase().includes(from.toLowerCase().slice(2)))).toEqual([]);
    });

    test('D743: endpoints that disagree about a nonce or a receipt change nothing', async () => {
      const { root } = service;
      const from = await fundedAccount(root, anvil);
      liar.lies.set('eth_getTransactionCount', ({ result }) => ({ result: `0x${(Number(result) + 3).toString(16)}` }));
      expect(errorOf(await root.submit('ethSendTransaction', payment(from))).code).toBe('CHAIN_DISAGREEMENT');
      liar.lies.clear();
      await anvil.call('evm_setAutomine', [false]);
      const id = await pay(root, from);
      liar.lies.set('eth_getTransactionReceipt', (_, [transactionHash]) => ({
        result: { transactionHash, blockHash: `0x${'ab'.repeat(32)}`, blockNumber: '0x1', status: '0x1' },
      }));
      const before = liar.asked.length;
      await expect
        .poll(() => liar.asked.slice(before).filter((each) => each.startsWith('eth_getTransactionReceipt')).length)
        .toBeGreaterThan(3);
      expect((await statusOf(root, id)).txStatus).toBe('BROADCASTING');
      liar.lies.clear();
      await anvil.call('evm_setAutomine', [true]);
      await confirm(root, anvil, id);
    });

    test('D746: a rejection by one endpoint frees no nonce', async () => {
      const { root } = service;
      const from = await fundedAccount(root, anvil);
      liar.lies.set('eth_sendRawTransaction', () => ({ error: { code: -32000, message: 'insufficient funds' } }));
      const id = await pay(root, from);
      await confirm(root, anvil, id);
      liar.lies.clear();
    });

    test('D745: fees that rise while an activity is pending do not raise what approvers saw', async () => {
      const { root } = service;
      const from = await fundedAccount(root, anvil);
      const { caller, userId } = await createMember(root);
      await root.result('createPolicy', {
        policyName: `Two people ${engine}`,
        effect: 'EFFECT_ALLOW',
        consensus: `approvers.any(user, user.id == '${userId}') && approvers.count() >= 2`,
        condition: "activity.kind == 'ETH_SEND_TRANSACTION'",
        notes: '',
      });
      const pending = await caller.submit('ethSendTransaction', payment(from, { value: '7' }));
      const { activity } = await root.data('getActivity', { activityId: pending.body.activity.id });
      const planned = activity.intent.ethSendTransactionIntent;
      const raised = BigInt(planned.maxFeePerGas) * 3n;
      await anvil.call('anvil_setNextBlockBaseFeePerGas', [`0x${raised.toString(16)}`]);
      await anvil.mine(1);
      await root.submit('approveActivity', { fingerprint: activity.fingerprint });
      const after = await root.data('getActivity', { activityId: activity.id });
      expect(after.activity.status).toBe('ACTIVITY_STATUS_COMPLETED');
      expect(after.activity.intent.ethSendTransactionIntent).toMatchObject({
        gasLimit: planned.gasLimit,
        maxFeePerGas: planned.maxFeePerGas,
      });
      await anvil.call('anvil_setNextBlockBaseFeePerGas', ['0x1']);
      await anvil.mine(1);
    });

    test('D744: a state that was changed in the database is reported and not shown', async () => {
      const { root } = service;
      const from = await fundedAccount(root, anvil);
      await anvil.call('evm_setAutomine', [false]);
      const id = await pay(root, from);
      await reach(root, id, 'BROADCASTING');
      await raw.run(`UPDATE sends SET state = 'COMPLETED' WHERE id = '${id}'`);
      const answer = await root.query('getSendTransactionStatus', { sendTransactionStatusId: id });
      expect(errorOf(answer).code).toBe('STATE_TAMPERED');
      expect(service.alarms().some(({ what }) => what.includes(id))).toBe(true);
      await raw.run(`UPDATE sends SET state = 'BROADCASTING' WHERE id = '${id}'`);
      await anvil.call('evm_setAutomine', [true]);
      await confirm(root, anvil, id);
    });

    test('D741: two nodes that send from one account use every nonce once, and each request ends once', async () => {
      if (engine === 'sqlite') return sendFromBoth(service, service);
      const second = await startService(installation, { config: sendingConfig([anvil.url]) });
      try {
        await sendFromBoth(service, second);
      } finally {
        await second.close();
      }
    });

    async function sendFromBoth(one: TestService, two: TestService): Promise<void> {
      const from = await fundedAccount(one.root, anvil, 10);
      const callers = [one.root, one.root.with({ url: two.url })];
      const ids = await Promise.all(Array.from({ length: 10 }, (_, at) => pay(callers[at % 2] as typeof one.root, from)));
      for (const id of ids) await confirm(one.root, anvil, id);
      expect((await noncesOf(one.root, ids)).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
      expect(BigInt(await anvil.call<string>('eth_getTransactionCount', [from, 'latest']))).toBe(10n);
      expect(BigInt(await anvil.call<string>('eth_getBalance', [from, 'latest']))).toBeLessThan(10n * ETHER);
    }
  },
);

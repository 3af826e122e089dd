import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Anvil, missingAnvil, startAnvil, withAnvil } from '../../support/anvil.ts';
import type { Json } from '../../support/caller.ts';
import { type Engine, engines, type Installation, preparedEngines } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createMember } from '../../support/world.ts';
import {
  cancel,
  confirm,
  ETHER,
  fundedAccount,
  pay,
  payment,
  RECEIVER,
  reach,
  replace,
  sendingConfig,
  speedUp,
  statusOf,
} from './support.ts';

describe.skipIf(missingAnvil !== undefined).each(Object.keys(engines) as Engine[])(
  withAnvil('replaced transactions on %s'),
  (engine) => {
    let anvil: Anvil;
    let installation: Installation;
    let service: TestService;

    beforeAll(async () => {
      anvil = await startAnvil();
      installation = await preparedEngines[engine]();
      service = await startService(installation, { config: sendingConfig([anvil.url]) });
    });
    // Transactions wait until a test adds a block.
    beforeEach(() => anvil.call('evm_setAutomine', [false]));
    afterAll(async () => {
      await service?.close();
      await installation?.remove();
      await anvil?.stop();
    });

    const received = async () => BigInt(await anvil.call<string>('eth_getBalance', [RECEIVER, 'latest']));
    const countOf = async (from: string) => Number(await anvil.call<string>('eth_getTransactionCount', [from, 'latest']));
    const inPool = async (hash: string): Promise<Json> => anvil.call<Json>('eth_getTransactionByHash', [hash]);
    const waiting = async (from: string, more: object = {}) => {
      const id = await pay(service.root, from, more);
      await reach(service.root, id, 'BROADCASTING');
      return id;
    };

    test('a transaction that is sped up is made once with the higher fee, and the original names the winner', async () => {
      const { root } = service;
      const from = await fundedAccount(root, anvil);
      const before = await received();
      const first = await waiting(from, { value: `${ETHER}`, maxFeePerGas: '5000000000', maxPriorityFeePerGas: '1000000000' });
      const { sendTransactionStatusId: second, transactionHash } = await speedUp(root, from, first);
      await expect.poll(() => inPool(transactionHash)).not.toBeNull();
      const sent = await inPool(transactionHash);
      expect(sent).toMatchObject({ nonce: '0x0', value: `0x${ETHER.toString(16)}`, to: RECEIVER });
      expect(BigInt(sent.maxFeePerGas)).toBeGreaterThanOrEqual(5_500_000_000n);
      const done = await confirm(root, anvil, second);
      expect(done.transaction).toMatchObject({ replaces: first, nonce: '0' });
      const original = await reach(root, first, 'CANCELLED');
      expect(original.transaction).toMatchObject({ replacedBy: transactionHash, replacedById: second });
      expect(original.txError).toContain(transactionHash);
      expect(await countOf(from)).toBe(1);
      expect((await received()) - before).toBe(ETHER);
    });

    test('a cancelled transaction pays nobody, and its nonce is used', async () => {
      const { root } = service;
      const from = await fundedAccount(root, anvil);
      const before = await received();
      const first = await waiting(from, { value: `${ETHER}` });
      const later = await waiting(from);
      const { sendTransactionStatusId: second, transactionHash } = await cancel(root, from, first);
      await expect.poll(() => inPool(transactionHash)).not.toBeNull();
      expect(await inPool(transactionHash)).toMatchObject({ value: '0x0', input: '0x', to: from.toLowerCase() });
      await confirm(root, anvil, second);
      await confirm(root, anvil, later);
      expect((await reach(root, first, 'CANCELLED')).transaction).toMatchObject({
        replacedBy: transactionHash,
        replacedById: second,
      });
      expect(await countOf(from)).toBe(2);
      expect((await received()) - before).toBe(1n);
    });

    test('D907: if the original is in a block first, the replacement is the one that names it as the winner', async () => {
      const { root } = service;
      const from = await fundedAccount(root, anvil);
      const before = await received();
      const first = await waiting(from, { value: `${ETHER}` });
      const { eth } = await statusOf(root, first);
      const raw = await anvil.call<string>('eth_getRawTransactionByHash', [eth.txHash]);
      const { sendTransactionStatusId: second, transactionHash } = await cancel(root, from, first);
      await expect.poll(() => inPool(transactionHash)).not.toBeNull();
      // A miner that never saw the replacement takes the original.
      await anvil.call('anvil_dropTransaction', [transactionHash]);
      await anvil.call('eth_sendRawTransaction', [raw]);
      const done = await confirm(root, anvil, first);
      expect(done.transaction.replacedBy).toBeUndefined();
      expect((await reach(root, second, 'CANCELLED')).transaction).toMatchObject({ replacedBy: eth.txHash, replacedById: first });
      expect((await received()) - before).toBe(ETHER);
      expect(await countOf(from)).toBe(1);
    });

    test('approvers see the new fee and what is replaced, and others pay from the account meanwhile', async () => {
      const { root } = service;
      const from = await fundedAccount(root, anvil);
      const { caller, userId } = await createMember(root);
      await root.result('createPolicy', {
        policyName: `Replace ${engine}`,
        effect: 'EFFECT_ALLOW',
        consensus: `approvers.any(user, user.id == '${userId}') && approvers.count() >= 2`,
        condition:
          "activity.kind == 'ETH_REPLACE_TRANSACTION' && activity.params.replacement == 'SPEED_UP' && eth.tx.max_fee_per_gas <= 90 gwei",
        notes: '',
      });
      const first = await waiting(from, { value: '7' });
      const { eth } = await statusOf(root, first);
      const params = { from, sendTransactionStatusId: first, maxFeePerGas: '80000000000', maxPriorityFeePerGas: '70000000000' };
      const pending = await replace(caller, { ...params, replacement: 'SPEED_UP' });
      expect(pending.body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
      const { activity } = await root.data('getActivity', { activityId: pending.body.activity.id });
      expect(activity.intent.ethReplaceTransactionIntent).toMatchObject({
        replacesHash: eth.txHash,
        maxFeePerGas: '80000000000',
        value: '7',
        replacement: 'SPEED_UP',
      });
      expect(activity.parsed.description).toContain('send 0.000000000000000007 of the native coin');
      const other = await waiting(from);
      await root.submit('approveActivity', { fingerprint: activity.fingerprint });
      const after = await root.data('getActivity', { activityId: activity.id });
      expect(after.activity.status).toBe('ACTIVITY_STATUS_COMPLETED');
      const [result] = Object.values<Json>(after.activity.result);
      const { sendTransactionStatusId: second, transactionHash } = result;
      await expect.poll(() => inPool(transactionHash)).not.toBeNull();
      await confirm(root, anvil, second);
      await confirm(root, anvil, other);
      expect(await countOf(from)).toBe(2);
    });

    test('a cancelled payment makes room when the account cannot pay for it any more', async () => {
      const { root } = service;
      const from = await fundedAccount(root, anvil, 2);
      const first = await waiting(from, { value: `${ETHER}` });
      await anvil.call('anvil_setBalance', [from, `0x${(ETHER / 10n).toString(16)}`]);
      const { sendTransactionStatusId: second } = await cancel(root, from, first);
      await confirm(root, anvil, second);
      await reach(root, first, 'CANCELLED');
      await confirm(root, anvil, (await root.result('ethSendTransaction', payment(from))).sendTransactionStatusId);
    });
  },
);

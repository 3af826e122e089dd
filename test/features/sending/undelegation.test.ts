import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Anvil, missingAnvil, startAnvil, withAnvil } from '../../support/anvil.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { type Engine, engines, type Installation, preparedEngines } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createMember, errorOf } from '../../support/world.ts';
import { exportAudit, logKey, verifyText } from '../log/audit-support.ts';
import {
  CHAIN,
  cancel,
  confirm,
  delegate,
  fundedAccount,
  noncesOf,
  pay,
  reach,
  replace,
  sendingConfig,
  undelegate,
} from './support.ts';

describe.skipIf(missingAnvil !== undefined).each(Object.keys(engines) as Engine[])(
  withAnvil('removing delegations on %s'),
  (engine) => {
    let anvil: Anvil;
    let installation: Installation;
    let service: TestService;

    beforeAll(async () => {
      anvil = await startAnvil();
      installation = await preparedEngines[engine]();
      service = await startService(installation, { config: sendingConfig([anvil.url]) });
    });
    beforeEach(() => anvil.call('evm_setAutomine', [true]));
    afterAll(async () => {
      await service?.close();
      await installation?.remove();
      await anvil?.stop();
    });

    const code = (from: string) => anvil.call<string>('eth_getCode', [from, 'latest']);
    const policy = (name: string, effect: string, consensus: string, condition: string) =>
      service.root.result('createPolicy', { policyName: `${name} ${engine}`, effect, consensus, condition, notes: '' });
    const delegatedAccount = async () => {
      const from = await fundedAccount(service.root, anvil);
      await delegate(service.root, anvil, from);
      return from;
    };
    const submit = (caller: Caller, from: string, more: object = {}) =>
      caller.submit('ethUndelegate7702', { from, caip2: CHAIN, ...more });

    test('the code of the account is gone, and later payments have the nonces after both that it used', async () => {
      const { root } = service;
      const from = await delegatedAccount();
      expect(await code(from)).toMatch(/^0xef0100/);
      await anvil.call('evm_setAutomine', [false]);
      const { sendTransactionStatusId: id, transactionHash } = await undelegate(root, from);
      const next = await pay(root, from);
      await confirm(root, anvil, id);
      await confirm(root, anvil, next);
      expect(await code(from)).toBe('0x');
      expect(await noncesOf(root, [id, next])).toEqual([1, 3]);
      const sent = await anvil.call<Json>('eth_getTransactionByHash', [transactionHash]);
      const [authorization] = sent.authorizationList;
      expect(sent).toMatchObject({ type: '0x4', to: from.toLowerCase(), value: '0x0', input: '0x', gas: '0xb3b0' });
      expect(sent.authorizationList).toHaveLength(1);
      expect(authorization).toMatchObject({ address: `0x${'0'.repeat(40)}`, chainId: '0x7a69', nonce: '0x2' });
      expect((await submit(root, from)).body.message).toContain('there is no delegation to remove');
    });

    test('approvers see one authorization of the account itself, and the nonce is that of the execution', async () => {
      const { root } = service;
      const from = await delegatedAccount();
      const { caller, userId } = await createMember(root);
      await policy(
        'Undelegate',
        'EFFECT_ALLOW',
        `approvers.any(user, user.id == '${userId}') && approvers.count() >= 2`,
        [
          "activity.kind == 'ETH_UNDELEGATE_7702' && eth.tx.type == 'TYPE_4' && eth.tx.to == eth.tx.from && eth.tx.value == 0",
          "eth.tx.data == '0x' && eth.tx.authorization_list.count() == 1 && tx.fully_parsed",
          `eth.tx.authorization_list.all(it, it.address == '0x${'0'.repeat(40)}' && it.authority == eth.tx.from && it.nonce == eth.tx.nonce + 1)`,
        ].join(' && '),
      );
      const pending = await submit(caller, from);
      expect(pending.body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
      const { activity } = await root.data('getActivity', { activityId: pending.body.activity.id });
      expect(activity.parsed).toMatchObject({ fullyParsed: true });
      expect(activity.parsed.description).toContain('obeys no code any more');
      expect(activity.intent.ethUndelegate7702Intent.nonce).toBe('1');
      await pay(root, from);
      await root.submit('approveActivity', { fingerprint: activity.fingerprint });
      const after = await root.data('getActivity', { activityId: activity.id });
      const [result] = Object.values<Json>(after.activity.result);
      await confirm(root, anvil, result.sendTransactionStatusId);
      expect(await noncesOf(root, [result.sendTransactionStatusId])).toEqual([2]);
      expect(await code(from)).toBe('0x');
      const verdict = await verifyText(await exportAudit(root), await logKey(service.url));
      expect(verdict).toMatchObject({ ok: true });
    });

    test('D1000: a DENY that names the kind is also for the type as some clients write it', async () => {
      const { root } = service;
      const { caller, userId } = await createMember(root);
      const who = `approvers.any(user, user.id == '${userId}')`;
      await policy('Sign', 'EFFECT_ALLOW', who, "activity.action == 'SIGN'");
      const from = await delegatedAccount();
      const type = 'ACTIVITY_TYPE_ETH_UNDELEGATE7702';
      const send = () => caller.submit('ethUndelegate7702', { from, caip2: CHAIN }, { type });
      await policy('No undelegation', 'EFFECT_DENY', who, "activity.kind == 'ETH_UNDELEGATE_7702'");
      expect(errorOf(await send()).code).toBe('POLICY_DENIED');
      expect(await code(from)).toMatch(/^0xef0100/);
      const { sendTransactionStatusId } = await root.result('ethUndelegate7702', { from, caip2: CHAIN }, { type });
      await confirm(root, anvil, sendTransactionStatusId);
      expect(await code(from)).toBe('0x');
    });

    test.each([
      ['signing a transaction', "activity.kind == 'SIGN_TRANSACTION' && eth.tx.type == 'TYPE_4'"],
      ['sending', "activity.kind == 'ETH_SEND_TRANSACTION' && eth.tx.to == eth.tx.from"],
      ['signing an authorization', 'eth.eip_7702_authorization.chain_id == 31337'],
    ])('D1001: a DENY on %s also denies removing a delegation', async (name, condition) => {
      const { root } = service;
      const { caller, userId } = await createMember(root);
      const who = `approvers.any(user, user.id == '${userId}')`;
      await policy(`Allow ${name}`, 'EFFECT_ALLOW', who, "activity.kind == 'ETH_UNDELEGATE_7702'");
      await policy(`Deny ${name}`, 'EFFECT_DENY', who, condition);
      const from = await delegatedAccount();
      expect(errorOf(await submit(caller, from)).code).toBe('POLICY_DENIED');
      expect((await submit(root, from)).status).toBe(200);
    });

    test('D1003: the nonce of the authorization is free, and no payment gets it', async () => {
      const { root } = service;
      const from = await delegatedAccount();
      await anvil.call('evm_setAutomine', [false]);
      const first = await pay(root, from);
      const second = await pay(root, from);
      await reach(root, second, 'BROADCASTING');
      const { sendTransactionStatusId: id } = await undelegate(root, from);
      const last = await pay(root, from);
      expect(await noncesOf(root, [first, second, id, last])).toEqual([1, 2, 3, 5]);
      expect((await submit(root, from)).body.message).toContain('removes the delegation already');
      for (const each of [first, second, id, last]) await confirm(root, anvil, each);
      expect(await code(from)).toBe('0x');
    });

    test('it is not sped up, and a cancellation takes its place', async () => {
      const { root } = service;
      const from = await delegatedAccount();
      await anvil.call('evm_setAutomine', [false]);
      const { sendTransactionStatusId: id } = await undelegate(root, from);
      await reach(root, id, 'BROADCASTING');
      const faster = await replace(root, { from, sendTransactionStatusId: id, replacement: 'SPEED_UP' });
      expect(errorOf(faster).code).toBe('PRECONDITION_FAILED');
      expect(faster.body.message).toContain('removes a delegation');
      const { sendTransactionStatusId: none, transactionHash } = await cancel(root, from, id);
      await expect.poll(() => anvil.call('eth_getTransactionByHash', [transactionHash])).not.toBeNull();
      await confirm(root, anvil, none);
      await reach(root, id, 'CANCELLED');
      const next = await pay(root, from);
      await confirm(root, anvil, next);
      expect(await noncesOf(root, [next])).toEqual([2]);
    });

    test('accounts without a delegation, other nonces and other parameters are rejected, and nothing is signed', async () => {
      const { root } = service;
      const plain = await fundedAccount(root, anvil);
      expect(errorOf(await submit(root, plain)).code).toBe('PRECONDITION_FAILED');
      const from = await delegatedAccount();
      for (const more of [
        { nonce: '7' },
        { to: plain },
        { value: '1' },
        { data: '0x' },
        { address: plain },
        { caip2: 'eip155:0' },
      ])
        expect(errorOf(await submit(root, from, more)).status).toBe(400);
      expect(errorOf(await submit(root, from, { caip2: 'eip155:5' })).code).toBe('NOT_OFFERED');
      expect(await code(from)).toMatch(/^0xef0100/);
      expect(await anvil.call('eth_getTransactionCount', [from, 'pending'])).toBe('0x1');
    });
  },
);

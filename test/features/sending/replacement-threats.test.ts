import { activities } from '@countersign/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { controlParams } from '../../support/activity-params.ts';
import { type Anvil, missingAnvil, startAnvil, withAnvil } from '../../support/anvil.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { type Engine, engines, type Installation, preparedEngines } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createMember, createSubOrganization, errorOf } from '../../support/world.ts';
import { exportAudit, logKey, verifyText } from '../log/audit-support.ts';
import { forge, forgedLogKey } from '../log/forge.ts';
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
} from './support.ts';

describe.skipIf(missingAnvil !== undefined).each(Object.keys(engines) as Engine[])(
  withAnvil('attacks on replaced transactions on %s'),
  (engine) => {
    let anvil: Anvil;
    let installation: Installation;
    let service: TestService;

    beforeAll(async () => {
      anvil = await startAnvil();
      installation = await preparedEngines[engine]();
      service = await startService(installation, { config: sendingConfig([anvil.url]) });
    });
    beforeEach(() => anvil.call('evm_setAutomine', [false]));
    afterAll(async () => {
      await service?.close();
      await installation?.remove();
      await anvil?.stop();
    });

    const waiting = async (caller: Caller, from: string, more: object = {}) => {
      const id = await pay(caller, from, more);
      await reach(caller, id, 'BROADCASTING');
      return id;
    };
    const request = (from: string, sendTransactionStatusId: string, more: object = {}) => ({
      ...{ from, sendTransactionStatusId, replacement: 'SPEED_UP' },
      ...more,
    });
    const policy = (root: Caller, name: string, effect: string, consensus: string, condition: string) =>
      root.result('createPolicy', { policyName: `${name} ${engine}`, effect, consensus, condition, notes: '' });

    /** An organization with an account, and a user who may send within a limit of 2 ether a day. */
    async function limited() {
      const { caller: root } = await createSubOrganization(service.root);
      const { caller, userId } = await createMember(root);
      const { dataSource: _, ...control } = controlParams();
      const definition = [{ caip19: 'eip155:31337/slip44:60', decimals: '18' }];
      const aggregation = { ...control.aggregation, threshold: '2' };
      const params = { ...control, aggregation, dataSource: { chainAssetTransfer: { definition } } };
      await root.result('createVelocityControl', params);
      const who = `approvers.any(user, user.id == '${userId}')`;
      await policy(root, 'Within the limit', 'EFFECT_ALLOW', who, `activity.action == 'SIGN' && controls.${params.identifier}`);
      return { root, caller, from: await fundedAccount(root, anvil) };
    }

    test('D902: a replacement adds nothing to limits, and a cancellation gives nothing back', async () => {
      const { root, caller, from } = await limited();
      const first = await waiting(caller, from, { value: `${ETHER}` });
      const faster = await speedUp(caller, from, first);
      const second = await waiting(caller, from, { value: `${ETHER}` });
      const tooMuch = () => caller.submit('ethSendTransaction', payment(from, { value: '1' }));
      expect(errorOf(await tooMuch()).code).toBe('POLICY_DENIED');
      const { sendTransactionStatusId: none } = await cancel(caller, from, second);
      expect(errorOf(await tooMuch()).code).toBe('POLICY_DENIED');
      await reach(root, none, 'BROADCASTING');
      await confirm(root, anvil, faster.sendTransactionStatusId);
      await confirm(root, anvil, none);
      await reach(root, second, 'CANCELLED');
      expect(errorOf(await tooMuch()).code).toBe('POLICY_DENIED');
    });

    test('D902: an audit file verifies, and not if the limit missed a payment that is called a replacement', async () => {
      const { root, caller, from } = await limited();
      const first = await waiting(caller, from, { value: `${ETHER}` });
      await speedUp(caller, from, first);
      const text = await exportAudit(root);
      expect(await verifyText(text, await logKey(service.url))).toMatchObject({ ok: true, report: { countsChecked: 1 } });
      const isReplacement = (leaf: Json) => leaf.opening.type === activities.ethReplaceTransaction.type;
      const forged = (value: string) =>
        forge(text, (leaves: Json[]) => {
          for (const { content } of leaves.filter(isReplacement)) content.decision.subject.parameters.value = value;
        });
      expect(await verifyText(forged(`${ETHER}`), forgedLogKey)).toMatchObject({ ok: true });
      const verdict = await verifyText(forged(`${5n * ETHER}`), forgedLogKey);
      expect(JSON.stringify(verdict)).toContain('differs in more than its fee');
    });

    test('D903: a DENY on sending a transaction also denies replacing one', async () => {
      const { root } = service;
      const { caller, userId } = await createMember(root);
      const from = await fundedAccount(root, anvil);
      const who = `approvers.any(user, user.id == '${userId}')`;
      await policy(root, 'Sign', 'EFFECT_ALLOW', who, "activity.action == 'SIGN'");
      const cheap = "activity.kind == 'ETH_SEND_TRANSACTION' && eth.tx.max_fee_per_gas > 20 gwei";
      await policy(root, 'Cheap', 'EFFECT_DENY', who, cheap);
      const first = await waiting(caller, from);
      const fees = { maxFeePerGas: '21000000000', maxPriorityFeePerGas: '20000000000' };
      expect(errorOf(await replace(caller, request(from, first, fees))).code).toBe('POLICY_DENIED');
      expect((await replace(root, request(from, first, fees))).status).toBe(200);
    });

    test('D904: a replacement cannot change receiver, amount or data, and needs a policy of its own', async () => {
      const { root } = service;
      const from = await fundedAccount(root, anvil);
      const first = await waiting(root, from);
      for (const more of [{ value: '5' }, { to: from }, { data: '0x01' }, { nonce: '0' }, { replacement: 'RAISE' }])
        expect(errorOf(await replace(root, request(from, first, more))).status).toBe(400);
      const { caller, userId } = await createMember(root);
      const who = `approvers.any(user, user.id == '${userId}')`;
      await policy(root, 'Only send', 'EFFECT_ALLOW', who, "activity.kind == 'ETH_SEND_TRANSACTION'");
      const none = await replace(caller, request(from, first, { replacement: 'CANCEL' }));
      expect(errorOf(none).code).toBe('POLICY_DENIED');
    });

    test('D1051: a cancellation names whom the payment pays only to those who may read the payment', async () => {
      const { caller: root } = await createSubOrganization(service.root);
      const { caller } = await createMember(root);
      await root.result('createContacts', { contacts: [{ label: 'Acme', address: RECEIVER }] });
      await policy(root, 'Sign', 'EFFECT_ALLOW', 'approvers.count() >= 2', "activity.action == 'SIGN'");
      const reads = (resource: string) => `activity.action == 'READ' && activity.resource == '${resource}'`;
      const from = await fundedAccount(root, anvil);
      const asked = await replace(caller, request(from, await waiting(root, from), { replacement: 'CANCEL' }));
      const names = async (reader: Caller) => {
        const { contacts, proofs } = await reader.data('getActivityNames', { activityId: asked.body.activity.id });
        return [contacts, proofs.map(({ activity }: Json) => activity)].map((each) =>
          each.map(({ label, type }: Json) => label ?? type),
        );
      };
      const all = [['Acme'], ['ACTIVITY_TYPE_CREATE_CONTACTS', 'ACTIVITY_TYPE_CREATE_WALLET', 'ACTIVITY_TYPE_CREATE_USERS_V3']];
      expect(await names(caller)).toEqual(all);
      await root.result('setOrganizationFeature', { name: 'FEATURE_NAME_READ_POLICIES', value: '' });
      await policy(root, 'Read contacts', 'EFFECT_ALLOW', 'true', reads('CONTACT'));
      expect(await names(caller)).toEqual([[], []]);
      expect(await names(root)).toEqual(all);
      await policy(root, 'Read activities', 'EFFECT_ALLOW', 'true', reads('ACTIVITY'));
      expect((await names(caller))[0]).toEqual(['Acme']);
    });

    test('D905: of two replacements at once one is signed, and a cancellation cannot be undone', async () => {
      const { root } = service;
      const from = await fundedAccount(root, anvil);
      const first = await waiting(root, from);
      const second = engine === 'sqlite' ? service : await startService(installation, { config: sendingConfig([anvil.url]) });
      try {
        const callers = [root, root.with({ url: second.url })];
        const answers = await Promise.all(
          Array.from({ length: 6 }, (_, at) =>
            replace(callers[at % 2] as Caller, request(from, first, { replacement: at < 3 ? 'CANCEL' : 'SPEED_UP' })),
          ),
        );
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
        for (const answer of answers.filter(({ status }) => status !== 200))
          expect(errorOf(answer)).toMatchObject({ code: 'PRECONDITION_FAILED', fields: ['sendTransactionStatusId'] });
      } finally {
        if (second !== service) await second.close();
      }
      const next = await waiting(root, from);
      const { sendTransactionStatusId: none } = await cancel(root, from, next);
      expect(errorOf(await replace(root, request(from, next))).code).toBe('PRECONDITION_FAILED');
      const { sendTransactionStatusId: faster } = await speedUp(root, from, none);
      await reach(root, faster, 'BROADCASTING');
      const { activity } = await root.data('getActivity', { activityId: await statusActivity(root, faster) });
      expect(activity.intent.ethReplaceTransactionIntent).toMatchObject({ value: '0', to: from.toLowerCase(), data: '0x' });
    });

    const statusActivity = async (caller: Caller, id: string): Promise<string> =>
      (await caller.data('getSendTransactionStatus', { sendTransactionStatusId: id })).transaction.activityId;

    test('D906: transactions of others, of other accounts, pending and final ones cannot be replaced', async () => {
      const { root } = service;
      const from = await fundedAccount(root, anvil);
      const first = await waiting(root, from);
      const { caller: stranger } = await createSubOrganization(root);
      const own = await fundedAccount(stranger, anvil);
      const code = async (caller: Caller, params: object) => errorOf(await replace(caller, params)).code;
      expect(await code(stranger, request(from, first))).toBe('SIGN_WITH_NOT_FOUND');
      expect(await code(stranger, request(own, first))).toBe('PRECONDITION_FAILED');
      expect(await code(root, request(await fundedAccount(root, anvil), first))).toBe('PRECONDITION_FAILED');
      const { caller: member, userId } = await createMember(root);
      const who = `approvers.any(user, user.id == '${userId}') && approvers.count() >= 2`;
      await policy(root, 'Two', 'EFFECT_ALLOW', who, "activity.kind == 'ETH_SEND_TRANSACTION'");
      const pending = await member.submit('ethSendTransaction', payment(from));
      expect(await code(root, request(from, pending.body.activity.id))).toBe('PRECONDITION_FAILED');
      await anvil.mine(1);
      expect(await code(root, request(from, first))).toBe('PRECONDITION_FAILED');
      await confirm(root, anvil, first);
      expect(await code(root, request(from, first, { replacement: 'CANCEL' }))).toBe('PRECONDITION_FAILED');
    });

    test('D908: a replacement that nodes would not accept is not signed, and sixteen wait at most', async () => {
      const { root } = service;
      const from = await fundedAccount(root, anvil);
      let newest = await waiting(root, from, { maxFeePerGas: '3000000000', maxPriorityFeePerGas: '1000000000' });
      const low = [
        [{ maxFeePerGas: '3299999999' }, 'maxFeePerGas'],
        [{ maxPriorityFeePerGas: '1099999999' }, 'maxPriorityFeePerGas'],
        [{ maxFeePerGas: '4000000000', maxPriorityFeePerGas: '4000000001' }, 'maxPriorityFeePerGas'],
      ] as const;
      for (const [fees, field] of low) {
        const answer = errorOf(await replace(root, request(from, newest, fees)));
        expect(answer).toMatchObject({ code: 'REQUEST_INVALID', fields: [field] });
      }
      for (let at = 0; at < 15; at += 1) newest = (await speedUp(root, from, newest)).sendTransactionStatusId;
      expect(errorOf(await replace(root, request(from, newest))).code).toBe('LIMIT_EXCEEDED');
    });
  },
);

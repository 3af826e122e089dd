import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Anvil, missingAnvil, startAnvil, withAnvil } from '../../support/anvil.ts';
import { type Engine, engines, type Installation, preparedEngines } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createMember, errorOf } from '../../support/world.ts';
import { CHAIN, confirm, ETHER, fundedAccount, noncesOf, pay, payment, RECEIVER, reach, sendingConfig } from './support.ts';

describe.skipIf(missingAnvil !== undefined).each(Object.keys(engines) as Engine[])(
  withAnvil('sent transactions on %s'),
  (engine) => {
    let anvil: Anvil;
    let installation: Installation;
    let service: TestService;

    beforeAll(async () => {
      anvil = await startAnvil();
      installation = await preparedEngines[engine]();
      service = await startService(installation, { config: sendingConfig([anvil.url]) });
    });
    afterAll(async () => {
      await service?.close();
      await installation?.remove();
      await anvil?.stop();
    });

    test('a payment is signed, sent, included and confirmed', async () => {
      const { root } = service;
      const from = await fundedAccount(root, anvil);
      const before = BigInt(await anvil.call<string>('eth_getBalance', [RECEIVER, 'latest']));
      const sent = await root.result('ethSendTransaction', payment(from, { value: `${ETHER}` }));
      const included = await reach(root, sent.sendTransactionStatusId, 'INCLUDED');
      expect(included.eth.txHash).toBe(sent.transactionHash);
      const done = await confirm(root, anvil, sent.sendTransactionStatusId);
      expect(done.transaction).toMatchObject({ chain: CHAIN, from: from.toLowerCase(), nonce: '0', requiredConfirmations: '2' });
      const receipt = await anvil.call<{ status: string; type: string }>('eth_getTransactionReceipt', [sent.transactionHash]);
      expect(receipt).toMatchObject({ status: '0x1', type: '0x2' });
      expect(BigInt(await anvil.call<string>('eth_getBalance', [RECEIVER, 'latest'])) - before).toBe(ETHER);
    });

    test('concurrent payments of one account get consecutive nonces', async () => {
      const { root } = service;
      const from = await fundedAccount(root, anvil);
      const ids = await Promise.all(Array.from({ length: 12 }, () => pay(root, from)));
      const nonces = await noncesOf(root, ids);
      expect(nonces.sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, nonce) => nonce));
      for (const id of ids) await confirm(root, anvil, id);
    });

    test('published clients get the fields that they know', async () => {
      const client = service.root.with({ dialect: 'turnkey' });
      const from = await fundedAccount(service.root, anvil);
      const { from: _, caip2, ...call } = payment(from);
      const answer = await client.submit(
        'ethSendTransaction',
        { from, caip2, calls: [call] },
        { type: 'ACTIVITY_TYPE_ETH_SEND_TRANSACTION_V2' },
      );
      const { result } = answer.body.activity;
      expect(Object.keys(result)).toEqual(['ethSendTransactionResultV2']);
      expect(Object.keys(result.ethSendTransactionResultV2)).toEqual(['sendTransactionStatusId']);
      const status = await reach(client, result.ethSendTransactionResultV2.sendTransactionStatusId, 'INCLUDED');
      expect(status.eth.txHash).toMatch(/^0x[0-9a-f]{64}$/);
    });

    test('a transaction that waits for approval does not block its account', async () => {
      const { root } = service;
      const from = await fundedAccount(root, anvil);
      const { caller, userId } = await createMember(root);
      await root.result('createPolicy', {
        policyName: `Send ${engine}`,
        effect: 'EFFECT_ALLOW',
        consensus: `approvers.any(user, user.id == '${userId}') && approvers.count() >= 2`,
        condition: "activity.kind == 'ETH_SEND_TRANSACTION' && eth.tx.value <= 5 && eth.tx.chain_id == 31337",
        notes: '',
      });
      const pending = await caller.submit('ethSendTransaction', payment(from, { value: '5' }));
      const { activity } = pending.body;
      expect(activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
      const first = await pay(root, from);
      await reach(root, first, 'INCLUDED');
      const details = await root.data('getActivity', { activityId: activity.id });
      expect(details.activity.parsed.description).toContain('send 0.000000000000000005 of the native coin');
      await root.submit('approveActivity', { fingerprint: details.activity.fingerprint });
      const after = await root.data('getActivity', { activityId: activity.id });
      expect(after.activity.status).toBe('ACTIVITY_STATUS_COMPLETED');
      const { sendTransactionStatusId } = Object.values(after.activity.result)[0] as { sendTransactionStatusId: string };
      const status = await reach(root, sendTransactionStatusId, 'INCLUDED');
      expect(status.transaction.nonce).toBe('1');
      const denied = await caller.submit('ethSendTransaction', payment(from, { value: '6' }));
      expect(errorOf(denied)).toMatchObject({ status: 403, code: 'POLICY_DENIED' });
    });

    test('a request that the account cannot pay, or that would fail, uses no nonce', async () => {
      const { root } = service;
      const from = await fundedAccount(root, anvil, 1);
      const tooMuch = await root.submit('ethSendTransaction', payment(from, { value: `${2n * ETHER}`, gasLimit: '21000' }));
      expect(errorOf(tooMuch)).toMatchObject({ code: 'PRECONDITION_FAILED' });
      const wrongNonce = await root.submit('ethSendTransaction', payment(from, { nonce: '7' }));
      expect(errorOf(wrongNonce)).toMatchObject({ code: 'REQUEST_INVALID', fields: ['nonce'] });
      const sponsored = await root.submit('ethSendTransaction', payment(from, { sponsor: true }));
      expect(errorOf(sponsored)).toMatchObject({ status: 501, code: 'NOT_OFFERED', fields: ['sponsor'] });
      const otherChain = await root.submit('ethSendTransaction', payment(from, { caip2: 'eip155:5' }));
      expect(errorOf(otherChain).code).toBe('NOT_OFFERED');
      expect(otherChain.body.message).toContain('chainEndpoints');
      expect(await noncesOf(root, [await pay(root, from)])).toEqual([0]);
    });
  },
);

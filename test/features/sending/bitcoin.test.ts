import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BitcoinLedger, createBitcoinLedger } from '../../support/bitcoin-ledger.ts';
import { type Engine, engines, type Installation, preparedEngines } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createMember, errorOf } from '../../support/world.ts';
import {
  type BitcoinServer,
  bitcoinAccount,
  bitcoinConfig,
  bitcoinPayment,
  COIN,
  FEE,
  FORMATS,
  includeBitcoin,
  payBitcoin,
  RECEIVER,
  reachBitcoin,
  serveBitcoin,
  spendCoins,
} from './bitcoin-support.ts';
import { reach, statusOf } from './support.ts';

describe.each(Object.keys(engines) as Engine[])('sent Bitcoin transactions on %s', (engine) => {
  let ledger: BitcoinLedger;
  let server: BitcoinServer;
  let installation: Installation;
  let service: TestService;

  beforeAll(async () => {
    ledger = createBitcoinLedger();
    server = await serveBitcoin(ledger);
    installation = await preparedEngines[engine]();
    service = await startService(installation, { config: bitcoinConfig(ledger, [server]) });
  });
  afterAll(async () => {
    await service?.close();
    await installation?.remove();
    await server?.close();
  });

  test.each(FORMATS)('a payment from a %s address is signed, sent, included and final', async (kind) => {
    const { root } = service;
    const account = await bitcoinAccount(root, ledger, { kind });
    const unsigned = spendCoins([account.newCoin(), account.newCoin(2n * COIN)]);
    const before = ledger.balanceOf(RECEIVER);
    const sent = await root.result('bitcoinSendTransaction', bitcoinPayment(ledger, account, unsigned));
    const id = sent.sendTransactionStatusId;
    expect(await reach(root, id, 'BROADCASTING')).toMatchObject({ bitcoin: { txId: sent.transactionHash } });
    await includeBitcoin(root, ledger, id);
    const { transaction } = await reachBitcoin(root, ledger, id, 'COMPLETED');
    expect(transaction).toMatchObject({ chain: ledger.chain, requiredConfirmations: '2' });
    expect(transaction.from).toMatch(/^bcrt1q/);
    expect(Number(transaction.confirmations)).toBeGreaterThanOrEqual(2);
    expect(transaction.blockHash).toMatch(/^[0-9a-f]{64}$/);
    expect(ledger.balanceOf(RECEIVER) - before).toBe(3n * COIN - FEE);
  });

  test('a payment with a lock time and a name is sent once', async () => {
    const { root } = service;
    const account = await bitcoinAccount(root, ledger);
    const coin = account.newCoin();
    const unsigned = spendCoins([coin], { lockTime: ledger.height, sequence: 0xffff_fffd });
    const params = { ...bitcoinPayment(ledger, account, unsigned), idempotencyKey: 'rent' };
    const { sendTransactionStatusId: id } = await root.result('bitcoinSendTransaction', params);
    const again = { ...bitcoinPayment(ledger, account), idempotencyKey: 'rent' };
    expect(errorOf(await root.submit('bitcoinSendTransaction', again)).code).toBe('IDEMPOTENCY_KEY_USED');
    await reachBitcoin(root, ledger, id, 'COMPLETED');
    expect(errorOf(await root.submit('bitcoinSendTransaction', bitcoinPayment(ledger, account, unsigned))).code).toBe(
      'PRECONDITION_FAILED',
    );
  });

  test('D953: a payment that is repeated after its answer was lost is named, although its coins are spent by itself', async () => {
    const { root } = service;
    const account = await bitcoinAccount(root, ledger);
    const params = { ...bitcoinPayment(ledger, account), idempotencyKey: 'lost' };
    const answer = await root.submit('bitcoinSendTransaction', params);
    const repeated = async () => {
      const refused = await root.submit('bitcoinSendTransaction', params);
      expect(errorOf(refused).code).toBe('IDEMPOTENCY_KEY_USED');
      expect(refused.body.message).toContain(answer.body.activity.id);
    };
    const { activity } = await root.data('getActivity', { activityId: answer.body.activity.id });
    const { sendTransactionStatusId: id } = activity.result.bitcoinSendTransactionResult;
    await includeBitcoin(root, ledger, id);
    await repeated();
    await reachBitcoin(root, ledger, id, 'COMPLETED');
    await repeated();
    // Without the name, the coins are what is wrong.
    const { idempotencyKey: _, ...unnamed } = params;
    expect(errorOf(await root.submit('bitcoinSendTransaction', unnamed)).code).toBe('PRECONDITION_FAILED');
  });

  test('a reorganization leads back to the pool, and the same bytes become final later', async () => {
    const { root } = service;
    const account = await bitcoinAccount(root, ledger);
    const first = ledger.handed.length;
    const id = await payBitcoin(root, ledger, account);
    const { transaction } = await includeBitcoin(root, ledger, id);
    ledger.reorganize(1);
    await reach(root, id, 'BROADCASTING');
    ledger.mine(1);
    const again = await reach(root, id, 'INCLUDED');
    expect(again.transaction.blockHash).not.toBe(transaction.blockHash);
    await reachBitcoin(root, ledger, id, 'COMPLETED');
    expect(new Set(ledger.handed.slice(first)).size).toBe(1);
  });

  test('a payment that needs an approval is sent as its approvers saw it', async () => {
    const { root } = service;
    const { caller, userId } = await createMember(root);
    const account = await bitcoinAccount(root, ledger);
    await root.result('createPolicy', {
      policyName: `Two for Bitcoin ${engine}`,
      effect: 'EFFECT_ALLOW',
      consensus: `approvers.any(user, user.id == '${userId}') && approvers.count() >= 2`,
      condition: "activity.kind == 'BITCOIN_SEND_TRANSACTION' && bitcoin.tx.fee <= 1000 sat",
      notes: '',
    });
    const params = bitcoinPayment(ledger, account);
    const pending = await caller.submit('bitcoinSendTransaction', params);
    const { activity } = await root.data('getActivity', { activityId: pending.body.activity.id });
    expect(activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
    await root.submit('approveActivity', { fingerprint: activity.fingerprint });
    const { activity: after } = await root.data('getActivity', { activityId: activity.id });
    expect(after.intent.bitcoinSendTransactionIntent).toEqual(params);
    const { sendTransactionStatusId } = after.result.bitcoinSendTransactionResult;
    await reachBitcoin(root, ledger, sendTransactionStatusId, 'COMPLETED');
    expect((await statusOf(root, sendTransactionStatusId)).transaction.from).toBe(account.address);
  });

  test('D740: a DENY on signing a transaction also denies sending it on Bitcoin', async () => {
    const { root } = service;
    const { caller, userId } = await createMember(root);
    const account = await bitcoinAccount(root, ledger);
    const consensus = `approvers.any(user, user.id == '${userId}')`;
    const policy = (policyName: string, effect: string, condition: string) =>
      root.result('createPolicy', { policyName, effect, consensus, condition, notes: '' });
    await policy(`Sign on Bitcoin ${engine}`, 'EFFECT_ALLOW', "activity.action == 'SIGN'");
    await policy(
      `Not more on Bitcoin ${engine}`,
      'EFFECT_DENY',
      "activity.kind == 'SIGN_TRANSACTION' && bitcoin.tx.outputs.any(o, o.value > 200_000 sat)",
    );
    await payBitcoin(caller, ledger, account);
    const more = bitcoinPayment(ledger, account, spendCoins([account.newCoin(3n * COIN)]));
    expect(errorOf(await caller.submit('bitcoinSendTransaction', more))).toMatchObject({ status: 403, code: 'POLICY_DENIED' });
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Engine, engines, type Installation, preparedEngines } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { type SolanaNode, startSolanaNode } from '../../support/solana-node.ts';
import { createMember, errorOf } from '../../support/world.ts';
import {
  fundedSolana,
  lamportsOf,
  paySol,
  RECEIVER,
  reachSol,
  SOL,
  solanaConfig,
  solPayment,
  transfer,
} from './solana-support.ts';
import { statusOf } from './support.ts';

describe.each(Object.keys(engines) as Engine[])('sent Solana transactions on %s', (engine) => {
  let node: SolanaNode;
  let installation: Installation;
  let service: TestService;

  beforeAll(async () => {
    node = await startSolanaNode();
    installation = await preparedEngines[engine]();
    service = await startService(installation, { config: solanaConfig(node, [node.url]) });
  });
  afterAll(async () => {
    await service?.close();
    await installation?.remove();
    await node?.close();
  });

  test('a payment gets a blockhash, is signed, sent, confirmed and final', async () => {
    const { root } = service;
    const from = await fundedSolana(root, node);
    const before = await lamportsOf(node, RECEIVER);
    const sent = await root.result('solSendTransaction', solPayment(node, from));
    const { sendTransactionStatusId: id, transactionHash } = sent;
    const included = await reachSol(root, node, id, 'INCLUDED');
    expect(included).toMatchObject({ solana: { signature: transactionHash } });
    expect(included).not.toHaveProperty('eth');
    const done = await reachSol(root, node, id, 'COMPLETED');
    expect(Object.keys(done.transaction).sort()).toEqual([
      'activityId',
      'blockNumber',
      'chain',
      'createdAt',
      'from',
      'updatedAt',
    ]);
    expect(done.transaction).toMatchObject({ chain: node.chain, from });
    expect((await lamportsOf(node, RECEIVER)) - before).toBe(SOL);
    expect(await lamportsOf(node, from)).toBe(9n * SOL - 5_000n);
  });

  test('the blockhash of the caller stays, in the transaction or beside it', async () => {
    const { root } = service;
    const from = await fundedSolana(root, node);
    node.ledger.nextBlockhash();
    const blockhash = node.latestBlockhash();
    const own = await paySol(root, node, from, { unsignedTransaction: transfer(from, 1n, { blockhash }) });
    const beside = await paySol(root, node, from, { unsignedTransaction: transfer(from, 2n), recentBlockhash: blockhash });
    for (const id of [own, beside]) await reachSol(root, node, id, 'COMPLETED');
    const both = { unsignedTransaction: transfer(from, 3n, { blockhash }), recentBlockhash: RECEIVER };
    expect(errorOf(await root.submit('solSendTransaction', solPayment(node, from, both))).code).toBe('TRANSACTION_INVALID');
    node.ledger.nextBlockhash();
    const late = { unsignedTransaction: transfer(from, 3n, { blockhash }) };
    const answer = await root.submit('solSendTransaction', solPayment(node, from, late));
    expect(errorOf(answer).code).toBe('TRANSACTION_INVALID');
    expect(answer.body.message).toContain('is not one of the last 150 blocks');
  });

  test('a transaction that would fail is not signed', async () => {
    const { root } = service;
    const from = await fundedSolana(root, node);
    const handed = node.ledger.handed.length;
    const tooMuch = { unsignedTransaction: transfer(from, 11n * SOL) };
    expect(errorOf(await root.submit('solSendTransaction', solPayment(node, from, tooMuch))).code).toBe('TRANSACTION_INVALID');
    expect(node.ledger.handed.length).toBe(handed);
  });

  test('a transaction whose execution fails after it was sent ends as FAILED', async () => {
    const { root } = service;
    const from = await fundedSolana(root, node);
    node.ledger.isHolding = true;
    const id = await paySol(root, node, from);
    await expect.poll(() => node.ledger.handed.length).toBeGreaterThan(0);
    await reachSol(root, node, id, 'BROADCASTING');
    node.setLamports(from, 5_000_000n);
    node.ledger.execute();
    node.ledger.isHolding = false;
    const failed = await reachSol(root, node, id, 'FAILED');
    expect(failed.txError).toContain('its execution failed');
    expect(await lamportsOf(node, from)).toBe(4_995_000n);
  });

  test('transactions that are not complete with one signature are refused', async () => {
    const { root } = service;
    const [from, other] = [await fundedSolana(root, node), await fundedSolana(root, node)];
    const refused = async (more: object, message: string) => {
      const answer = await root.submit('solSendTransaction', solPayment(node, from, more));
      expect(errorOf(answer).code).toBe('TRANSACTION_INVALID');
      expect(answer.body.message).toContain(message);
    };
    await refused({ unsignedTransaction: transfer(from, 1n, { signers: [other] }) }, `needs a signature of ${other}`);
    await refused({ unsignedTransaction: transfer(other, 1n, { signers: [from] }) }, `${other} pays its fee`);
    // AdvanceNonceAccount in place of the transfer.
    const durable = transfer(from, 1n).replace('0c02000000', '0c04000000');
    await refused({ unsignedTransaction: durable }, 'durable nonce');
  });

  test('published clients name one signer in a list, and get the fields that they know', async () => {
    const client = service.root.with({ dialect: 'turnkey' });
    const from = await fundedSolana(service.root, node);
    const { signWith, ...rest } = solPayment(node, from);
    const type = 'ACTIVITY_TYPE_SOL_SEND_TRANSACTION_V2';
    const two = await client.submit('solSendTransaction', { ...rest, signWiths: [signWith, signWith] }, { type });
    expect(errorOf(two).code).toBe('REQUEST_INVALID');
    const { body } = await client.submit('solSendTransaction', { ...rest, signWiths: [signWith] }, { type });
    const { result } = body.activity;
    expect(Object.keys(result)).toEqual(['solSendTransactionResultV2']);
    expect(Object.keys(result.solSendTransactionResultV2)).toEqual(['sendTransactionStatusId']);
    await reachSol(service.root, node, result.solSendTransactionResultV2.sendTransactionStatusId, 'COMPLETED');
  });

  test('a name makes a payment happen once', async () => {
    const { root } = service;
    const from = await fundedSolana(root, node);
    const id = await paySol(root, node, from, { idempotencyKey: 'invoice-1' });
    await reachSol(root, node, id, 'INCLUDED');
    node.ledger.nextBlockhash();
    const again = await root.submit('solSendTransaction', solPayment(node, from, { idempotencyKey: 'invoice-1' }));
    expect(errorOf(again).code).toBe('IDEMPOTENCY_KEY_USED');
    await reachSol(root, node, id, 'COMPLETED');
    expect(await lamportsOf(node, from)).toBe(9n * SOL - 5_000n);
  });

  test('an approval that takes longer than a blockhash lives gets a new one', async () => {
    const { root } = service;
    const from = await fundedSolana(root, node);
    const { caller, userId } = await createMember(root);
    await root.result('createPolicy', {
      policyName: `Two people ${engine}`,
      effect: 'EFFECT_ALLOW',
      consensus: `approvers.any(user, user.id == '${userId}') && approvers.count() >= 2`,
      condition: "activity.kind == 'SOL_SEND_TRANSACTION' && solana.tx.transfers.all(t, t.amount <= 1 SOL)",
      notes: '',
    });
    const pending = await caller.submit('solSendTransaction', solPayment(node, from));
    const { activity } = await root.data('getActivity', { activityId: pending.body.activity.id });
    const planned = activity.intent.solSendTransactionIntent.recentBlockhash;
    node.ledger.advance(200);
    await root.submit('approveActivity', { fingerprint: activity.fingerprint });
    const after = await root.data('getActivity', { activityId: activity.id });
    expect(after.activity.status).toBe('ACTIVITY_STATUS_COMPLETED');
    expect(after.activity.intent.solSendTransactionIntent.recentBlockhash).not.toBe(planned);
    const { sendTransactionStatusId } = after.activity.result.solSendTransactionResult;
    await reachSol(root, node, sendTransactionStatusId, 'COMPLETED');
    expect((await statusOf(root, sendTransactionStatusId)).transaction.activityId).toBe(activity.id);
  });
});

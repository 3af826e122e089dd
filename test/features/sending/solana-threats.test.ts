import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Engine, engines, type Installation, preparedEngines } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { type SolanaNode, startSolanaNode } from '../../support/solana-node.ts';
import { createMember, createSubOrganization, errorOf } from '../../support/world.ts';
import { type Liar, startLiar } from './liar.ts';
import { fundedSolana, lamportsOf, paySol, reachSol, SOL, solanaConfig, solPayment, transfer } from './solana-support.ts';
import { reach, statusOf } from './support.ts';

describe.each(Object.keys(engines) as Engine[])('attacks on sent Solana transactions on %s', (engine) => {
  let node: SolanaNode;
  let liar: Liar;
  let installation: Installation;
  let service: TestService;

  beforeAll(async () => {
    node = await startSolanaNode();
    liar = await startLiar(node);
    installation = await preparedEngines[engine]();
    service = await startService(installation, { config: solanaConfig(node, [node.url, liar.url]) });
  });
  afterAll(async () => {
    await service?.close();
    await installation?.remove();
    await liar?.close();
    await node?.close();
  });

  /** Waits until the liar was asked this often about something. */
  async function asked(method: string, times = 3): Promise<void> {
    const before = liar.asked.length;
    const count = () => liar.asked.slice(before).filter((each) => each.startsWith(method)).length;
    await expect.poll(count, { timeout: 60_000 }).toBeGreaterThan(times);
  }

  test('D740: a DENY on signing a transaction also denies sending it on Solana', async () => {
    const { root } = service;
    const { caller, userId } = await createMember(root);
    const from = await fundedSolana(root, node);
    const policy = (policyName: string, effect: string, condition: string) =>
      root.result('createPolicy', {
        policyName,
        effect,
        consensus: `approvers.any(user, user.id == '${userId}')`,
        condition,
        notes: '',
      });
    await policy(`Sign ${engine}`, 'EFFECT_ALLOW', "activity.action == 'SIGN'");
    await policy(
      `Not more ${engine}`,
      'EFFECT_DENY',
      "activity.kind == 'SIGN_TRANSACTION' && solana.tx.transfers.any(t, t.amount > 1 SOL)",
    );
    await paySol(caller, node, from);
    const more = solPayment(node, from, { unsignedTransaction: transfer(from, SOL + 1n) });
    expect(errorOf(await caller.submit('solSendTransaction', more))).toMatchObject({ status: 403, code: 'POLICY_DENIED' });
  });

  test('D742: nodes of Solana are not asked for users without rights, nor about accounts of others', async () => {
    const { root } = service;
    const from = await fundedSolana(root, node);
    const { caller } = await createMember(root);
    const other = await createSubOrganization(root);
    const unsigned = Buffer.from(transfer(from, SOL), 'hex').toString('base64').slice(-60);
    expect(errorOf(await caller.submit('solSendTransaction', solPayment(node, from))).code).toBe('POLICY_DENIED');
    expect(errorOf(await other.caller.submit('solSendTransaction', solPayment(node, from))).code).toBe('SIGN_WITH_NOT_FOUND');
    expect(liar.asked.filter((each) => each.includes(unsigned))).toEqual([]);
  });

  test('D920: an endpoint that lies about blockhashes, heights or states causes neither a signature nor a final state', async () => {
    const { root } = service;
    const from = await fundedSolana(root, node);
    const refused = async () => errorOf(await root.submit('solSendTransaction', solPayment(node, from))).code;
    liar.lies.set('isBlockhashValid', () => ({ result: { context: { slot: 1 }, value: false } }));
    expect(await refused()).toBe('CHAIN_DISAGREEMENT');
    liar.lies.clear();
    liar.lies.set('getEpochInfo', ({ result }) => ({ result: { ...result, blockHeight: result.blockHeight + 100_000 } }));
    expect(await refused()).toBe('CHAIN_DISAGREEMENT');
    liar.lies.clear();

    node.ledger.isHolding = true;
    const id = await paySol(root, node, from);
    await reach(root, id, 'BROADCASTING');
    const everyone = { slot: 1, err: null, confirmations: null, confirmationStatus: 'finalized' };
    liar.lies.set('getSignatureStatuses', ({ result }, [signatures]) => ({
      result: { ...result, value: signatures.map(() => everyone) },
    }));
    liar.lies.set('getEpochInfo', ({ result }) => ({ result: { ...result, blockHeight: result.blockHeight + 100_000 } }));
    await asked('getSignatureStatuses');
    expect((await statusOf(root, id)).txStatus).toBe('BROADCASTING');
    liar.lies.clear();
    node.ledger.execute();
    node.ledger.isHolding = false;
    liar.lies.set('getSignatureStatuses', ({ result }, [signatures]) => ({
      result: { ...result, value: signatures.map(() => null) },
    }));
    node.ledger.advance(40);
    await asked('getSignatureStatuses');
    expect((await statusOf(root, id)).txStatus).toBe('BROADCASTING');
    liar.lies.clear();
    await reachSol(root, node, id, 'COMPLETED');
  });

  test('D920: an endpoint of another cluster is not used', async () => {
    const { root } = service;
    const from = await fundedSolana(root, node);
    const second = await startLiar(node);
    second.lies.set('getGenesisHash', () => ({ result: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG' }));
    const own = await preparedEngines.sqlite();
    const wrong = await startService(own, { config: solanaConfig(node, [second.url]) });
    try {
      const there = await fundedSolana(wrong.root, node);
      const answer = await wrong.root.submit('solSendTransaction', solPayment(node, there));
      expect(errorOf(answer).code).toBe('CHAIN_UNAVAILABLE');
      expect(second.asked.filter((each) => !each.startsWith('getGenesisHash'))).toEqual([]);
    } finally {
      await wrong.close();
      await own.remove();
      await second.close();
    }
    expect(await lamportsOf(node, from)).toBe(10n * SOL);
  });

  test('D921: a transaction ends as expired only when no block can contain it any more', async () => {
    const { root } = service;
    const from = await fundedSolana(root, node);
    const { ledger } = node;
    ledger.isHolding = true;
    const first = ledger.handed.length;
    const id = await paySol(root, node, from);
    await reach(root, id, 'BROADCASTING');
    // The newest block is too high, and the newest final one is not.
    ledger.advance(151);
    await asked('getSignatureStatuses');
    expect((await statusOf(root, id)).txStatus).toBe('BROADCASTING');
    // Nodes that forgot what happened cannot tell.
    ledger.firstBlock = 1_000_000;
    ledger.advance(40);
    await expect
      .poll(async () => (await statusOf(root, id)).transaction.lastError, { timeout: 60_000 })
      .toContain('no longer have the blocks');
    ledger.firstBlock = 0;
    ledger.keepsHistory = false;
    await asked('getSignatureStatuses');
    expect((await statusOf(root, id)).txStatus).toBe('BROADCASTING');
    ledger.keepsHistory = true;
    expect((await reach(root, id, 'FAILED')).txError).toContain('It expired');
    expect(new Set(ledger.handed.slice(first)).size).toBe(1);
    ledger.execute();
    ledger.isHolding = false;
    const next = await paySol(root, node, from);
    await reachSol(root, node, next, 'COMPLETED');
    expect(await lamportsOf(node, from)).toBe(9n * SOL - 5_000n);
  });

  test('D921: an endpoint that rejects a transaction does not end it', async () => {
    const { root } = service;
    const from = await fundedSolana(root, node);
    liar.lies.set('sendTransaction', () => ({ error: { code: -32002, message: 'Transaction simulation failed' } }));
    const id = await paySol(root, node, from);
    await reachSol(root, node, id, 'COMPLETED');
    liar.lies.clear();
  });

  test('D922: of two requests with the same bytes one is refused, before and after the other is final', async () => {
    const { root } = service;
    const from = await fundedSolana(root, node);
    node.ledger.nextBlockhash();
    const blockhash = node.latestBlockhash();
    const same = solPayment(node, from, { unsignedTransaction: transfer(from, SOL, { blockhash }) });
    const answers = await Promise.all([1, 2, 3].map(() => root.submit('solSendTransaction', same)));
    const paid = answers.filter(({ status }) => status === 200);
    expect(paid).toHaveLength(1);
    for (const answer of answers.filter((each) => !paid.includes(each))) expect(errorOf(answer).code).toBe('PRECONDITION_FAILED');
    const { sendTransactionStatusId } = paid[0]?.body.activity.result.activity.result.solSendTransactionResult ?? {};
    await reachSol(root, node, sendTransactionStatusId, 'COMPLETED');
    expect(errorOf(await root.submit('solSendTransaction', same)).code).toBe('PRECONDITION_FAILED');
    const named = { ...same, idempotencyKey: 'another-name' };
    expect(errorOf(await root.submit('solSendTransaction', named)).code).toBe('PRECONDITION_FAILED');
    expect(await lamportsOf(node, from)).toBe(9n * SOL - 5_000n);
  });

  test('D947: bytes that were sent with a name are not sent again without one or with another one', async () => {
    const { root } = service;
    const from = await fundedSolana(root, node);
    node.ledger.nextBlockhash();
    const unsignedTransaction = transfer(from, SOL, { blockhash: node.latestBlockhash() });
    const first = { unsignedTransaction, idempotencyKey: 'first' };
    await reachSol(root, node, await paySol(root, node, from, first), 'COMPLETED');
    for (const name of [{}, { idempotencyKey: 'second' }]) {
      const again = solPayment(node, from, { unsignedTransaction, ...name });
      expect(errorOf(await root.submit('solSendTransaction', again)).code).toBe('PRECONDITION_FAILED');
    }
    expect(await lamportsOf(node, from)).toBe(9n * SOL - 5_000n);
  });

  test('D949: after an outage that is longer than nodes keep blocks, a transaction ends as unknown and frees its place', async () => {
    const { root } = service;
    const from = await fundedSolana(root, node);
    const { ledger } = node;
    ledger.isHolding = true;
    const id = await paySol(root, node, from, { idempotencyKey: 'outage' });
    await reach(root, id, 'BROADCASTING');
    ledger.execute();
    ledger.firstBlock = Number.MAX_SAFE_INTEGER;
    liar.lies.set('getSignatureStatuses', ({ result }) => ({ result: { ...result, value: [null] } }));
    ledger.advance(217_000);
    const status = await reach(root, id, 'UNKNOWN');
    expect(status.txError).toContain('It may have been paid');
    liar.lies.clear();
    ledger.firstBlock = 0;
    ledger.isHolding = false;
    const account = { organizationId: root.organizationId, chain: node.chain, account: from };
    expect((await service.services.sending.account(account)).active).toEqual([]);
    const again = solPayment(node, from, { idempotencyKey: 'outage' });
    expect(errorOf(await root.submit('solSendTransaction', again)).code).toBe('IDEMPOTENCY_KEY_USED');
    await reachSol(root, node, await paySol(root, node, from), 'COMPLETED');
  });
});

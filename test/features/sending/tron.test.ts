import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Engine, engines, type Installation, preparedEngines } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createTronLedger, type TronLedger } from '../../support/tron-ledger.ts';
import { createMember, createSubOrganization, errorOf } from '../../support/world.ts';
import { reach, statusOf } from './support.ts';
import {
  fundedTron,
  payTrx,
  RECEIVER,
  reachTrx,
  serveTron,
  TRX,
  type TronServer,
  transferTrx,
  tronConfig,
  tronPayment,
} from './tron-support.ts';

describe.each(Object.keys(engines) as Engine[])('sent Tron transactions on %s', (engine) => {
  let ledger: TronLedger;
  let honest: TronServer;
  let liar: TronServer;
  let installation: Installation;
  let service: TestService;

  beforeAll(async () => {
    ledger = createTronLedger();
    [honest, liar] = [await serveTron(ledger), await serveTron(ledger)];
    installation = await preparedEngines[engine]();
    service = await startService(installation, { config: tronConfig(ledger, [honest, liar]) });
  });
  afterAll(async () => {
    await service?.close();
    await installation?.remove();
    await honest?.close();
    await liar?.close();
  });

  const codeOf = async (from: string, unsigned?: string) =>
    errorOf(await service.root.submit('tronSendTransaction', tronPayment(ledger, from, unsigned))).code;

  /** Waits until the liar was asked this often. */
  async function asked(path: string): Promise<void> {
    const before = liar.asked.length;
    const count = () => liar.asked.slice(before).filter((each) => each.startsWith(path)).length;
    await expect.poll(count, { timeout: 60_000 }).toBeGreaterThan(2);
  }

  test('a payment gets a reference block and an expiration, is signed, sent, included and final', async () => {
    const { root } = service;
    const from = await fundedTron(root, ledger);
    const before = ledger.balanceOf(RECEIVER);
    const sent = await root.result('tronSendTransaction', tronPayment(ledger, from));
    const included = await reach(root, sent.sendTransactionStatusId, 'INCLUDED');
    expect(included).toMatchObject({ tron: { txId: sent.transactionHash } });
    const done = await reachTrx(root, ledger, sent.sendTransactionStatusId, 'COMPLETED');
    expect(done.transaction).toMatchObject({ chain: ledger.chain, from });
    expect(ledger.balanceOf(RECEIVER) - before).toBe(TRX);
  });

  test('equal payments at the same time are separate transactions', async () => {
    const { root } = service;
    const from = await fundedTron(root, ledger);
    const ids = await Promise.all([1, 2, 3].map(() => payTrx(root, ledger, from)));
    for (const id of ids) await reachTrx(root, ledger, id, 'COMPLETED');
    expect(ledger.balanceOf(from)).toBe(7n * TRX);
  });

  test('the reference of the caller stays, and an expired one is refused', async () => {
    const { root } = service;
    const from = await fundedTron(root, ledger);
    const { blockID, block_header } = ledger.answer('/walletsolidity/getnowblock', {}) as {
      blockID: string;
      block_header: { raw_data: { timestamp: number } };
    };
    const reference = { block: blockID.slice(12, 16), hash: blockID.slice(16, 32) };
    const now = BigInt(block_header.raw_data.timestamp);
    const own = transferTrx(from, TRX, { ...reference, expiration: now + 3_600_000n });
    const id = await payTrx(root, ledger, from, own);
    await reachTrx(root, ledger, id, 'COMPLETED');
    expect(ledger.handed.some((hex) => hex.includes(own))).toBe(true);
    expect(await codeOf(from, transferTrx(from, TRX, { ...reference, expiration: now }))).toBe('TRANSACTION_INVALID');
    expect(await codeOf(from, transferTrx(from, 11n * TRX))).toBe('PRECONDITION_FAILED');
  });

  test('D1015: a Tron transaction that expires after more than a day does not occupy its account until then', async () => {
    const { root } = service;
    const from = await fundedTron(root, ledger);
    const { blockID, block_header } = ledger.answer('/walletsolidity/getnowblock', {}) as {
      blockID: string;
      block_header: { raw_data: { timestamp: number } };
    };
    const reference = { block: blockID.slice(12, 16), hash: blockID.slice(16, 32) };
    const dayAfter = BigInt(block_header.raw_data.timestamp) + 86_400_000n;
    const until = (expiration: bigint) => codeOf(from, transferTrx(from, 10n * TRX, { ...reference, expiration }));
    expect(await until(dayAfter + 3_600_000n)).toBe('TRANSACTION_INVALID');
    expect(await until(2n ** 62n)).toBe('TRANSACTION_INVALID');
    const day = await payTrx(root, ledger, from, transferTrx(from, 10n * TRX, { ...reference, expiration: dayAfter }));
    await reachTrx(root, ledger, day, 'COMPLETED');
  });

  test('D740: a DENY on signing a transaction also denies sending it on Tron', async () => {
    const { root } = service;
    const { caller, userId } = await createMember(root);
    const from = await fundedTron(root, ledger);
    const consensus = `approvers.any(user, user.id == '${userId}')`;
    const policy = (policyName: string, effect: string, condition: string) =>
      root.result('createPolicy', { policyName, effect, consensus, condition, notes: '' });
    await policy(`Sign on Tron ${engine}`, 'EFFECT_ALLOW', "activity.action == 'SIGN'");
    await policy(
      `Not more on Tron ${engine}`,
      'EFFECT_DENY',
      "activity.kind == 'SIGN_TRANSACTION' && tron.tx.contract.any(c, c.amount > 1 TRX)",
    );
    await payTrx(caller, ledger, from);
    const more = tronPayment(ledger, from, transferTrx(from, TRX + 1n));
    expect(errorOf(await caller.submit('tronSendTransaction', more))).toMatchObject({ status: 403, code: 'POLICY_DENIED' });
  });

  test('D742: nodes of Tron are not asked for users without rights, nor about accounts of others', async () => {
    const { root } = service;
    const from = await fundedTron(root, ledger);
    const { caller } = await createMember(root);
    const other = await createSubOrganization(root);
    const payment = tronPayment(ledger, from);
    expect(errorOf(await caller.submit('tronSendTransaction', payment)).code).toBe('POLICY_DENIED');
    expect(errorOf(await other.caller.submit('tronSendTransaction', payment)).code).toBe('SIGN_WITH_NOT_FOUND');
    expect(liar.asked.filter((each) => each.includes(from))).toEqual([]);
  });

  test('D923: an endpoint of Tron that lies about blocks or states causes neither a signature nor a final state', async () => {
    const { root } = service;
    const from = await fundedTron(root, ledger);
    const other = (answer: { blockID: string }) => ({ ...answer, blockID: answer.blockID.slice(0, 16) + 'ab'.repeat(24) });
    liar.lies.set('/wallet/getblockbynum', (answer, { num }) => (num === 0 ? answer : other(answer)));
    expect(await codeOf(from)).toBe('CHAIN_DISAGREEMENT');
    liar.lies.clear();
    const later = ({ block_header: { raw_data }, ...rest }: { block_header: { raw_data: { timestamp: number } } }) => ({
      ...rest,
      block_header: { raw_data: { ...raw_data, timestamp: raw_data.timestamp + 86_400_000 } },
    });
    liar.lies.set('/wallet/getnowblock', later);
    expect(await codeOf(from)).toBe('CHAIN_DISAGREEMENT');
    liar.lies.clear();

    ledger.isHolding = true;
    const id = await payTrx(root, ledger, from);
    await reach(root, id, 'BROADCASTING');
    liar.lies.set('/walletsolidity/getnowblock', later);
    liar.lies.set('/walletsolidity/gettransactioninfobyid', (_, { value }) => ({ id: value, blockNumber: 5, receipt: {} }));
    await asked('/walletsolidity/gettransactioninfobyid');
    liar.lies.delete('/walletsolidity/gettransactioninfobyid');
    await asked('/walletsolidity/gettransactioninfobyid');
    expect((await statusOf(root, id)).txStatus).toBe('BROADCASTING');
    liar.lies.clear();
    ledger.isHolding = false;
    ledger.execute();
    await reachTrx(root, ledger, id, 'COMPLETED');
  });

  test('D924: a Tron transaction ends as expired only when no block can contain it, and is never signed again', async () => {
    const { root } = service;
    const from = await fundedTron(root, ledger);
    ledger.isHolding = true;
    const first = ledger.handed.length;
    const id = await payTrx(root, ledger, from);
    await reach(root, id, 'BROADCASTING');
    // The newest block is later than the expiration, and the newest final one is not.
    ledger.advance(101);
    await asked('/walletsolidity/gettransactioninfobyid');
    expect((await statusOf(root, id)).txStatus).toBe('BROADCASTING');
    ledger.firstBlock = 1_000_000;
    ledger.advance(60);
    await expect
      .poll(async () => (await statusOf(root, id)).transaction.lastError, { timeout: 60_000 })
      .toContain('no longer have block');
    ledger.firstBlock = 0;
    expect((await reach(root, id, 'FAILED')).txError).toContain('It expired');
    expect(new Set(ledger.handed.slice(first)).size).toBe(1);
    ledger.isHolding = false;
    ledger.execute();
    expect(ledger.balanceOf(from)).toBe(10n * TRX);
  });

  test('D922: the same bytes of a Tron transaction are sent once', async () => {
    const { root } = service;
    const from = await fundedTron(root, ledger);
    const { blockID, block_header } = ledger.answer('/wallet/getnowblock', {}) as {
      blockID: string;
      block_header: { raw_data: { timestamp: number } };
    };
    const expiration = BigInt(block_header.raw_data.timestamp) + 3_600_000n;
    const own = transferTrx(from, TRX, { block: blockID.slice(12, 16), hash: blockID.slice(16, 32), expiration });
    const id = await payTrx(root, ledger, from, own);
    expect(await codeOf(from, own)).toBe('PRECONDITION_FAILED');
    await reachTrx(root, ledger, id, 'COMPLETED');
    expect(await codeOf(from, own)).toBe('PRECONDITION_FAILED');
  });

  test('D1019: the same bytes of a Tron transaction are sent once, also if the first request had a name', async () => {
    const { root } = service;
    const from = await fundedTron(root, ledger);
    const { blockID, block_header } = ledger.answer('/wallet/getnowblock', {}) as {
      blockID: string;
      block_header: { raw_data: { timestamp: number } };
    };
    const expiration = BigInt(block_header.raw_data.timestamp) + 3_600_000n;
    const own = transferTrx(from, TRX, { block: blockID.slice(12, 16), hash: blockID.slice(16, 32), expiration });
    const named = { ...tronPayment(ledger, from, own), idempotencyKey: 'first' };
    const { sendTransactionStatusId: id } = await root.result('tronSendTransaction', named);
    await reachTrx(root, ledger, id, 'COMPLETED');
    expect(await codeOf(from, own)).toBe('PRECONDITION_FAILED');
    liar.lies.set('/wallet/gettransactioninfobyid', () => ({}));
    expect(await codeOf(from, own)).toBe('PRECONDITION_FAILED');
    liar.lies.clear();
    expect(ledger.balanceOf(from)).toBe(9n * TRX);
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type BitcoinLedger, createBitcoinLedger } from '../../support/bitcoin-ledger.ts';
import type { Json } from '../../support/caller.ts';
import { type Engine, engines, type Installation, preparedEngines } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createMember, createPrivateKey, createSubOrganization, errorOf } from '../../support/world.ts';
import {
  type BitcoinAccount,
  type BitcoinServer,
  bitcoinAccount,
  bitcoinConfig,
  bitcoinPayment,
  COIN,
  includeBitcoin,
  payBitcoin,
  reachBitcoin,
  serveBitcoin,
  spendCoins,
} from './bitcoin-support.ts';
import { reach, statusOf } from './support.ts';

const LONG_MS = 600_000;
const MAINNET = 'bip122:000000000019d6689c085ae165831e93';

describe.each(Object.keys(engines) as Engine[])('threats to sent Bitcoin transactions on %s', (engine) => {
  let ledger: BitcoinLedger;
  let honest: BitcoinServer;
  let liar: BitcoinServer;
  let installation: Installation;
  let service: TestService;

  beforeAll(async () => {
    ledger = createBitcoinLedger();
    [honest, liar] = [await serveBitcoin(ledger), await serveBitcoin(ledger)];
    installation = await preparedEngines[engine]();
    const config = bitcoinConfig(ledger, [honest, liar]);
    const endpoints = config.chainEndpoints?.[0]?.endpoints ?? [];
    // The stand-in has another chain.
    const chainEndpoints = [
      { chain: ledger.chain, endpoints },
      { chain: MAINNET, endpoints },
    ];
    service = await startService(installation, { config: { ...config, chainEndpoints } });
  });
  afterEach(() => {
    for (const { lies } of [honest, liar]) lies.clear();
    ledger.isIndexed = true;
    ledger.isFull = false;
  });
  afterAll(async () => {
    await service?.close();
    await installation?.remove();
    await honest?.close();
    await liar?.close();
  });

  async function refusal(account: BitcoinAccount, unsigned?: string, more: object = {}) {
    const params = { ...bitcoinPayment(ledger, account, unsigned), ...more };
    const { body } = await service.root.submit('bitcoinSendTransaction', params);
    return { code: body.errorCode as string, message: body.message as string };
  }

  /** Waits until the liar was asked this often. An account that a process does not release waits for the end of its lease. */
  async function asked(method: string, times = 2): Promise<void> {
    const before = liar.asked.length;
    const count = () => liar.asked.slice(before).filter((each) => each.startsWith(method)).length;
    await expect.poll(count, { timeout: 120_000 }).toBeGreaterThan(times);
  }

  const rejection = (code: number, message: string) => () => ({ error: { code, message } });
  const bothReject = (code: number, message: string) => {
    for (const { lies } of [honest, liar]) lies.set('sendrawtransaction', rejection(code, message));
  };

  test('D925: a Bitcoin transaction is sent to the network of the address that approvers see', async () => {
    const { root } = service;
    const account = await bitcoinAccount(root, ledger);
    const wrong = await refusal(account, undefined, { caip2: MAINNET });
    expect(wrong.code).toBe('TRANSACTION_INVALID');
    expect(wrong.message).toContain('the address in signWith is for REGTEST');
    const real = await bitcoinAccount(root, ledger, { network: 'MAINNET' });
    expect((await refusal(real)).message).toContain('the address in signWith is for MAINNET');
    const elsewhere = await refusal(account, undefined, { caip2: `bip122:${'ab'.repeat(16)}` });
    expect(elsewhere.code).toMatch(/^(TRANSACTION_INVALID|NOT_OFFERED)$/);
  });

  test('D926: the key spends every input, at most 50, and none whose signature does not cover the amount', async () => {
    const { root } = service;
    const account = await bitcoinAccount(root, ledger);
    const other = await bitcoinAccount(root, ledger);
    const before = liar.asked.length;
    const foreign = await refusal(account, spendCoins([account.newCoin(), other.newCoin()]));
    expect(foreign).toMatchObject({ code: 'TRANSACTION_INVALID', message: expect.stringContaining('does not spend input 1') });
    const many = Array.from({ length: 51 }, () => account.newCoin());
    expect((await refusal(account, spendCoins(many))).message).toContain('at most 50 inputs');
    const legacy = await bitcoinAccount(root, ledger, { kind: 'P2PKH' });
    const coin = legacy.newCoin();
    expect((await refusal(legacy, spendCoins([coin], { proof: true }))).message).toContain('P2PKH');
    const relative = spendCoins([account.newCoin()], { sequence: 5 });
    expect((await refusal(account, relative)).message).toContain('relative lock time');
    expect(liar.asked.length).toBe(before);
  });

  test('D927: an amount or a script that a node does not have is not signed', async () => {
    const { root } = service;
    const account = await bitcoinAccount(root, ledger);
    const coins = [account.newCoin(), account.newCoin()];
    const handed = ledger.handed.length;
    const claimed = await refusal(account, spendCoins(coins, { claim: COIN + 5_000n }));
    expect(claimed).toMatchObject({ code: 'PRECONDITION_FAILED', message: expect.stringContaining('100000 satoshis') });
    const change = (more: object) => (reply: Json) => ({ result: { ...reply.result, ...more } });
    const unsigned = spendCoins(coins);
    for (const more of [{ value: 0.5 }, { scriptPubKey: { hex: '51' } }, { confirmations: 0 }, { coinbase: true }]) {
      liar.lies.set('gettxout', change(more));
      expect((await refusal(account, unsigned)).code).toBe('PRECONDITION_FAILED');
    }
    liar.lies.set('gettxout', () => ({ result: null }));
    expect((await refusal(account, unsigned)).code).toBe('PRECONDITION_FAILED');
    liar.lies.clear();
    ledger.isIndexed = false;
    const index = await refusal(account, unsigned);
    expect(index).toMatchObject({ code: 'CHAIN_UNAVAILABLE', message: expect.stringContaining('txindex=1') });
    ledger.isIndexed = true;
    const late = spendCoins(coins, { lockTime: ledger.height + 2, sequence: 0xffff_fffe });
    expect((await refusal(account, late)).message).toContain('lock time');
    expect(ledger.handed.length).toBe(handed);
    await reachBitcoin(root, ledger, await payBitcoin(root, ledger, account, unsigned), 'COMPLETED');
  });

  test(
    'D928: it is cancelled only when another transaction is deep in the chain, and a reorganization starts the count again',
    async () => {
      const { root } = service;
      const account = await bitcoinAccount(root, ledger);
      const coin = account.newCoin();
      ledger.isFull = true;
      const id = await payBitcoin(root, ledger, account, spendCoins([coin]));
      await reach(root, id, 'BROADCASTING');
      const isWaiting = async () => {
        await asked('getrawtransaction', 4);
        expect((await statusOf(root, id)).txStatus).toBe('BROADCASTING');
      };
      ledger.spendElsewhere(coin.txid, coin.index);
      await isWaiting();
      ledger.mine(4);
      await isWaiting();
      // The other transaction lost its block, and a later one has it again.
      ledger.reorganize(5, true);
      ledger.spendElsewhere(coin.txid, coin.index);
      await isWaiting();
      ledger.mine(4);
      await isWaiting();
      // A node without its index does not know transactions of blocks.
      ledger.isIndexed = false;
      ledger.mine(3);
      await isWaiting();
      ledger.isIndexed = true;
      const { txError } = await reach(root, id, 'CANCELLED');
      expect(txError).toContain(`Another transaction spent ${coin.txid}:${coin.index}`);
    },
    LONG_MS,
  );

  test(
    'D928: an endpoint that lies about coins or blocks ends nothing',
    async () => {
      const { root } = service;
      const account = await bitcoinAccount(root, ledger);
      ledger.isFull = true;
      const id = await payBitcoin(root, ledger, account);
      await reach(root, id, 'BROADCASTING');
      const { txId } = (await statusOf(root, id)).bitcoin;
      liar.lies.set('gettxout', () => ({ result: null }));
      liar.lies.set('getrawtransaction', (reply, [asks]) =>
        asks === txId ? { result: { txid: txId, blockhash: 'ab'.repeat(32), confirmations: 500 } } : reply,
      );
      ledger.mine(20);
      await asked('getrawtransaction', 4);
      expect((await statusOf(root, id)).txStatus).toBe('BROADCASTING');
      liar.lies.delete('getrawtransaction');
      ledger.mine(20);
      await asked('gettxout', 2);
      expect((await statusOf(root, id)).txStatus).toBe('BROADCASTING');
      liar.lies.clear();
      ledger.isFull = false;
      await reachBitcoin(root, ledger, id, 'COMPLETED');
    },
    LONG_MS,
  );

  test('D929: only a first attempt that every endpoint rejects for the transaction itself ends as failed', async () => {
    const { root } = service;
    const account = await bitcoinAccount(root, ledger);
    const coins = [account.newCoin()];
    const cheap = await payBitcoin(root, ledger, account, spendCoins(coins, { fee: 1n }));
    expect((await reach(root, cheap, 'FAILED')).txError).toContain('min relay fee not met');
    // Its coin is free again.
    await reachBitcoin(root, ledger, await payBitcoin(root, ledger, account, spendCoins(coins)), 'COMPLETED');

    const waits = async (prepare: () => void) => {
      prepare();
      const id = await payBitcoin(root, ledger, account);
      await expect.poll(async () => (await statusOf(root, id)).transaction.lastError, { timeout: 60_000 }).toBeDefined();
      expect((await statusOf(root, id)).txStatus).toBe('BROADCASTING');
      for (const { lies } of [honest, liar]) lies.clear();
      return id;
    };
    const ids = [
      await waits(() => bothReject(-25, 'bad-txns-inputs-missingorspent')),
      await waits(() => bothReject(-32603, 'Internal error')),
      await waits(() => {
        bothReject(-26, 'dust');
        honest.lies.set('sendrawtransaction', () => ({ result: 'ab'.repeat(32) }));
      }),
    ];
    for (const id of ids) await reachBitcoin(root, ledger, id, 'COMPLETED');
  });

  test('D930: a coin that a waiting transaction spends is not spent by another one', async () => {
    const { root } = service;
    const account = await bitcoinAccount(root, ledger);
    const [shared, own] = [account.newCoin(), account.newCoin()];
    ledger.isFull = true;
    const id = await payBitcoin(root, ledger, account, spendCoins([shared]));
    const unsigned = spendCoins([own, shared], { fee: 2_000n });
    expect(await refusal(account, unsigned)).toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining(`spends ${shared.txid}:${shared.index} already`),
    });
    const both = [1n, 2n].map((more) => bitcoinPayment(ledger, account, spendCoins([own], { fee: 1_000n + more })));
    const answers = await Promise.all(both.map((params) => root.submit('bitcoinSendTransaction', params)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    ledger.isFull = false;
    await reachBitcoin(root, ledger, id, 'COMPLETED');
  });

  test('D956: a payment that began and ended while another request waited for the nodes is not forgotten', async () => {
    const { root } = service;
    const account = await bitcoinAccount(root, ledger);
    await reachBitcoin(root, ledger, await payBitcoin(root, ledger, account), 'COMPLETED');
    const coin = account.newCoin();
    // The first answer about the coin was true when the other payment had not begun.
    const before = ledger.answer('gettxout', [coin.txid, coin.index, true]) as Json;
    await reachBitcoin(root, ledger, await payBitcoin(root, ledger, account, spendCoins([coin])), 'COMPLETED');
    for (const { lies } of [honest, liar]) {
      let late = 1;
      lies.set('gettxout', (reply) => (late-- > 0 ? { result: before } : reply));
    }
    expect((await refusal(account, spendCoins([coin], { fee: 2_000n }))).code).toBe('PRECONDITION_FAILED');
  });

  test('D742: nodes of Bitcoin are not asked for users without rights, nor about accounts of others', async () => {
    const { root } = service;
    const account = await bitcoinAccount(root, ledger);
    const { caller } = await createMember(root);
    const other = await createSubOrganization(root);
    const payment = bitcoinPayment(ledger, account);
    const before = liar.asked.length;
    expect(errorOf(await caller.submit('bitcoinSendTransaction', payment)).code).toBe('POLICY_DENIED');
    expect(errorOf(await other.caller.submit('bitcoinSendTransaction', payment)).code).toBe('SIGN_WITH_NOT_FOUND');
    const signWith = await createPrivateKey(root, 'CURVE_ED25519');
    expect(errorOf(await root.submit('bitcoinSendTransaction', { ...payment, signWith })).status).toBe(400);
    expect(liar.asked.slice(before).filter((each) => each.startsWith('gettxout'))).toEqual([]);
  });

  test('a block that only one endpoint has makes nothing final', async () => {
    const { root } = service;
    const account = await bitcoinAccount(root, ledger);
    const id = await payBitcoin(root, ledger, account);
    await includeBitcoin(root, ledger, id);
    const more = (reply: Json) => (reply.result?.blockhash ? { result: { ...reply.result, confirmations: 900 } } : reply);
    liar.lies.set('getrawtransaction', more);
    await asked('getrawtransaction');
    expect((await statusOf(root, id)).txStatus).toBe('INCLUDED');
    liar.lies.clear();
    await reachBitcoin(root, ledger, id, 'COMPLETED');
  });
});

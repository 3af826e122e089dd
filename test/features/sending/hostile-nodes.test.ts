import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Anvil, missingAnvil, startAnvil, withAnvil } from '../../support/anvil.ts';
import { type Installation, preparedEngines } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { errorOf } from '../../support/world.ts';
import { type Liar, startLiar } from './liar.ts';
import { confirm, fundedAccount, pay, payment, reach, sendingConfig, statusOf } from './support.ts';

describe.skipIf(missingAnvil !== undefined)(withAnvil('nodes that lie or fail while transactions are sent'), () => {
  let anvil: Anvil;
  let liars: readonly [Liar, Liar];
  let installation: Installation;
  let service: TestService;

  beforeAll(async () => {
    anvil = await startAnvil();
    liars = [await startLiar(anvil), await startLiar(anvil)];
    installation = await preparedEngines.sqlite();
    service = await startService(installation, { config: sendingConfig(liars.map(({ url }) => url)) });
  });
  afterEach(() => {
    for (const { lies } of liars) lies.clear();
  });
  afterAll(async () => {
    await service?.close();
    await installation?.remove();
    for (const liar of liars ?? []) await liar.close();
    await anvil?.stop();
  });

  test('D750: callers do not see the hosts of endpoints', async () => {
    const { root } = service;
    const from = await fundedAccount(root, anvil);
    for (const { lies } of liars) lies.set('eth_sendRawTransaction', () => undefined);
    const id = await pay(root, from);
    await expect.poll(async () => (await statusOf(root, id)).transaction.lastError, { timeout: 20_000 }).toBeDefined();
    expect((await statusOf(root, id)).transaction.lastError).not.toContain('127.0.0.1');
    for (const { lies } of liars) lies.clear();
    await reach(root, id, 'INCLUDED');
  });

  test('D751: one endpoint that reports a later block does not make a transaction final', async () => {
    const { root } = service;
    const from = await fundedAccount(root, anvil);
    const [liar] = liars;
    liar.lies.set('eth_blockNumber', ({ result }) => ({ result: `0x${(Number(result) + 1).toString(16)}` }));
    const id = await pay(root, from);
    await reach(root, id, 'INCLUDED');
    await sleep(5_000);
    const { txStatus, transaction } = await statusOf(root, id);
    expect(txStatus).toBe('INCLUDED');
    expect(transaction.confirmations).toBe('1');
    liar.lies.clear();
    await confirm(root, anvil, id);
  });

  test('D752: an error inside of nodes that took the transaction frees no nonce', async () => {
    const { root } = service;
    const from = await fundedAccount(root, anvil);
    const lost = { error: { code: -32603, message: 'upstream request timed out' } };
    for (const { lies } of liars) lies.set('eth_sendRawTransaction', () => lost);
    const id = await pay(root, from);
    await confirm(root, anvil, id);
  });

  test('D753: one endpoint that reports waiting transactions does not make the service sign a later nonce', async () => {
    const { root } = service;
    const from = await fundedAccount(root, anvil);
    const [liar] = liars;
    liar.lies.set('eth_getTransactionCount', ({ result }, [, at]) => ({ result: at === 'pending' ? '0x64' : result }));
    const refused = await root.submit('ethSendTransaction', payment(from));
    expect(errorOf(refused).code).toBe('CHAIN_DISAGREEMENT');
    liar.lies.clear();
    const id = await pay(root, from);
    const { transaction } = await confirm(root, anvil, id);
    expect(transaction.nonce).toBe('0');
  });

  test('D1013: receipts that come from behind the numbers of blocks and transactions do not end a payment that was made', async () => {
    const { root } = service;
    const from = await fundedAccount(root, anvil);
    // Providers answer from many nodes, some of which do not have the newest blocks.
    for (const { lies } of liars) lies.set('eth_getTransactionReceipt', () => ({ result: null }));
    const id = await pay(root, from);
    await reach(root, id, 'BROADCASTING');
    await anvil.mine(10);
    const [{ asked }] = liars;
    const passes = () => asked.filter((each) => each.startsWith('eth_blockNumber')).length;
    const before = passes();
    await expect.poll(passes, { timeout: 60_000 }).toBeGreaterThan(before + 2);
    expect((await statusOf(root, id)).txStatus).toBe('BROADCASTING');
    for (const { lies } of liars) lies.clear();
    await confirm(root, anvil, id);
  });

  test('D754: an account has a limited number of transactions that wait for a block', async () => {
    const { root } = service;
    const from = await fundedAccount(root, anvil);
    await anvil.call('evm_setAutomine', [false]);
    try {
      for (let sent = 0; sent < 64; sent++) await pay(root, from, { gasLimit: '21000' });
      const refused = await root.submit('ethSendTransaction', payment(from));
      expect(errorOf(refused).code).toBe('LIMIT_EXCEEDED');
    } finally {
      await anvil.call('evm_setAutomine', [true]);
      await anvil.mine(2);
    }
  });
});

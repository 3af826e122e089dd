import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { serveNode } from '../../../packages/server/test/chain-nodes/node-server.ts';
import { type Anvil, missingAnvil, startAnvil, withAnvil } from '../../support/anvil.ts';
import { type Installation, preparedEngines } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { errorOf } from '../../support/world.ts';
import {
  CHAIN,
  confirm,
  ETHER,
  fundedAccount,
  noncesOf,
  pay,
  payment,
  RECEIVER,
  reach,
  sendingConfig,
  statusOf,
} from './support.ts';

/** Longer than the pause before a transaction is handed to the nodes again. */
const AGAIN_MS = 20_000;

const receivedBy = async (anvil: Anvil, address = RECEIVER) =>
  BigInt(await anvil.call<string>('eth_getBalance', [address, 'latest']));
const countOf = async (anvil: Anvil, address: string) =>
  Number(await anvil.call<string>('eth_getTransactionCount', [address, 'latest']));
const isInPool = async (anvil: Anvil, hash: string) => (await anvil.call('eth_getTransactionByHash', [hash])) !== null;

describe.skipIf(missingAnvil !== undefined)(withAnvil('sent transactions that a chain loses or takes back'), () => {
  let anvil: Anvil;
  let node: Awaited<ReturnType<typeof serveNode>>;
  let installation: Installation;
  let service: TestService;
  let aheadMs = 0;
  /** The transactions that the service handed to the node, in order. */
  const handed: string[] = [];

  /** The service does not wait for its next attempt. */
  const passTime = () => {
    aheadMs += AGAIN_MS;
    service.setAheadMs(aheadMs);
  };

  beforeAll(async () => {
    anvil = await startAnvil();
    node = await serveNode((method, params) => {
      if (method === 'eth_sendRawTransaction') handed.push((params as [string])[0]);
      return anvil.call(method, params as unknown[]).catch(({ message }) => ({ error: { code: -32000, message } }));
    });
    installation = await preparedEngines.sqlite();
    service = await startService(installation, { config: sendingConfig([node.url]) });
  });
  afterEach(() => anvil.call('evm_setAutomine', [true]));
  afterAll(async () => {
    await service?.close();
    await installation?.remove();
    await node?.close();
    await anvil?.stop();
  });

  test('a transaction that the pool dropped is sent again with the same bytes', async () => {
    const { root } = service;
    const from = await fundedAccount(root, anvil);
    await anvil.call('evm_setAutomine', [false]);
    handed.length = 0;
    const { sendTransactionStatusId: id, transactionHash: hash } = await root.result('ethSendTransaction', payment(from));
    await expect.poll(() => isInPool(anvil, hash)).toBe(true);
    await anvil.call('anvil_dropTransaction', [hash]);
    expect(await isInPool(anvil, hash)).toBe(false);
    passTime();
    await expect.poll(() => isInPool(anvil, hash)).toBe(true);
    expect(handed.length).toBeGreaterThan(1);
    expect(new Set(handed).size).toBe(1);
    const done = await confirm(root, anvil, id);
    expect(done.eth.txHash).toBe(hash);
    expect(await countOf(anvil, from)).toBe(1);
  });

  test('a reorganization takes an included transaction back, and it ends once', async () => {
    const { root } = service;
    const from = await fundedAccount(root, anvil);
    const before = await receivedBy(anvil);
    const snapshot = await anvil.call<string>('evm_snapshot');
    handed.length = 0;
    const id = await pay(root, from);
    const included = await reach(root, id, 'INCLUDED');
    await anvil.call('evm_setAutomine', [false]);
    expect(await anvil.call('evm_revert', [snapshot])).toBe(true);
    const back = await reach(root, id, 'BROADCASTING');
    expect(back.eth.txHash).toBe(included.eth.txHash);
    expect(back.transaction.blockNumber).toBeUndefined();
    passTime();
    await expect.poll(() => isInPool(anvil, included.eth.txHash)).toBe(true);
    await confirm(root, anvil, id);
    expect(new Set(handed).size).toBe(1);
    expect((await receivedBy(anvil)) - before).toBe(1n);
    expect(await noncesOf(root, [await pay(root, from)])).toEqual([1]);
  });

  test('blocks that a node removes do not end a transaction before it has its confirmations again', async () => {
    const { root } = service;
    const from = await fundedAccount(root, anvil);
    await anvil.mine(3);
    await anvil.call('evm_setAutomine', [false]);
    const id = await pay(root, from);
    await reach(root, id, 'BROADCASTING');
    await anvil.mine(1);
    const { eth } = await reach(root, id, 'INCLUDED');
    await anvil.call('anvil_reorg', [1, []]);
    await expect.poll(async () => (await statusOf(root, id)).txStatus).toBe('BROADCASTING');
    passTime();
    await expect.poll(() => isInPool(anvil, eth.txHash)).toBe(true);
    await confirm(root, anvil, id);
    expect(await countOf(anvil, from)).toBe(1);
  });

  /** A transaction with the key of the account that the service did not sign. */
  async function useElsewhere(from: string, nonce: number): Promise<string> {
    await anvil.call('anvil_impersonateAccount', [from]);
    return anvil.call('eth_sendTransaction', [
      {
        from,
        to: `0x${'22'.repeat(20)}`,
        value: '0x1',
        nonce: `0x${nonce.toString(16)}`,
        gas: '0x5208',
        maxFeePerGas: '0x174876e800',
      },
    ]);
  }

  test('a nonce that something else used ends the transaction, and the next payments have no gaps', async () => {
    const { root } = service;
    const from = await fundedAccount(root, anvil);
    await anvil.call('evm_setAutomine', [false]);
    const { sendTransactionStatusId: lost, transactionHash: hash } = await root.result('ethSendTransaction', payment(from));
    const later = await pay(root, from);
    await expect.poll(() => isInPool(anvil, hash)).toBe(true);
    await reach(root, later, 'BROADCASTING');
    await anvil.call('anvil_dropTransaction', [hash]);
    await useElsewhere(from, 0);
    await anvil.mine(1);
    expect((await statusOf(root, lost)).txStatus).toBe('BROADCASTING');
    const ended = await confirm(root, anvil, lost, 'CANCELLED');
    expect(JSON.stringify(ended)).toContain('Another transaction used the nonce 0');
    passTime();
    await confirm(root, anvil, later);
    const next = [await pay(root, from), await pay(root, from)];
    expect(await noncesOf(root, next)).toEqual([2, 3]);
    for (const id of next) await confirm(root, anvil, id);
    expect(await countOf(anvil, from)).toBe(4);
  });

  test('a payment waits for a transaction of the account that something else put into the pool', async () => {
    const { root } = service;
    const from = await fundedAccount(root, anvil);
    await anvil.call('evm_setAutomine', [false]);
    await useElsewhere(from, 0);
    const early = await root.submit('ethSendTransaction', payment(from));
    expect(errorOf(early)).toMatchObject({ status: 503, code: 'CHAIN_DISAGREEMENT' });
    await anvil.mine(1);
    const ids = [await pay(root, from), await pay(root, from)];
    expect(await noncesOf(root, ids)).toEqual([1, 2]);
    for (const id of ids) await confirm(root, anvil, id);
    expect(await countOf(anvil, from)).toBe(3);
  });

  test('an account whose nonces were skipped continues at the nonce of the chain', async () => {
    const { root } = service;
    const from = await fundedAccount(root, anvil);
    await anvil.call('evm_setAutomine', [false]);
    const id = await pay(root, from);
    await reach(root, id, 'BROADCASTING');
    await anvil.call('anvil_setNonce', [from, '0x5']);
    await confirm(root, anvil, id, 'CANCELLED');
    const next = await pay(root, from);
    expect(await noncesOf(root, [next])).toEqual([5]);
    await confirm(root, anvil, next);
  });
});

describe.skipIf(missingAnvil !== undefined)(withAnvil('sending without its node'), () => {
  test('payments wait for a node that ends, and are sent once when it is back', async () => {
    const installation = await preparedEngines.sqlite();
    const stateFile = `${installation.directory}/chain.json`;
    let anvil = await startAnvil({ stateFile });
    const service = await startService(installation, { config: sendingConfig([anvil.url]) });
    try {
      const { root } = service;
      const from = await fundedAccount(root, anvil);
      await confirm(root, anvil, await pay(root, from));
      await anvil.call('evm_setAutomine', [false]);
      const ids = await Promise.all([pay(root, from), pay(root, from), pay(root, from)]);
      await anvil.stop();
      const refused = await root.submit('ethSendTransaction', payment(from, { gasLimit: '21000' }));
      expect(refused.status).toBe(503);
      // The pool of a node is empty after a restart.
      anvil = await startAnvil({ stateFile, port: Number(new URL(anvil.url).port) });
      service.setAheadMs(AGAIN_MS);
      for (const id of ids) await confirm(root, anvil, id);
      expect((await noncesOf(root, ids)).sort()).toEqual([1, 2, 3]);
      expect(await receivedBy(anvil)).toBe(4n);
      expect(await noncesOf(root, [await pay(root, from)])).toEqual([4]);
    } finally {
      await service.close();
      await anvil.stop();
      await installation.remove();
    }
  });

  test('a chain without EIP-1559 gets transactions with one gas price', async () => {
    const installation = await preparedEngines.sqlite();
    const anvil = await startAnvil({ hardfork: 'istanbul' });
    const service = await startService(installation, { config: sendingConfig([anvil.url]) });
    try {
      const { root } = service;
      const from = await fundedAccount(root, anvil);
      const sent = await root.result('ethSendTransaction', payment(from, { value: `${ETHER}` }));
      await confirm(root, anvil, sent.sendTransactionStatusId);
      const found = await anvil.call<{ type: string; chainId: string }>('eth_getTransactionByHash', [sent.transactionHash]);
      expect(found).toMatchObject({ type: '0x0', chainId: `0x${Number(CHAIN.split(':')[1]).toString(16)}` });
      const priority = await root.submit('ethSendTransaction', payment(from, { maxPriorityFeePerGas: '1' }));
      expect(priority.status).toBe(400);
    } finally {
      await service.close();
      await anvil.stop();
      await installation.remove();
    }
  });
});

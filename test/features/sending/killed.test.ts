import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveNode } from '../../../packages/server/test/chain-nodes/node-server.ts';
import { placeOf, type Serving, serve } from '../../faults/fault/support/serving.ts';
import { type Anvil, missingAnvil, startAnvil, withAnvil } from '../../support/anvil.ts';
import { engines, type Installation } from '../../support/installation.ts';
import {
  CHAIN,
  cancel,
  confirm,
  delegate,
  ETHER,
  fundedAccount,
  noncesOf,
  pay,
  payment,
  RECEIVER,
  reach,
  statusOf,
  undelegate,
} from './support.ts';

describe.skipIf(missingAnvil !== undefined)(withAnvil('kill -9 of a server that sends'), () => {
  let anvil: Anvil;
  let node: Awaited<ReturnType<typeof serveNode>>;
  let installation: Installation;
  let server: Serving | undefined;
  /** What the node does with a transaction. */
  let treat: (send: () => Promise<unknown>) => Promise<unknown>;
  const handed: string[] = [];

  const start = () =>
    serve(placeOf(installation), [], {
      environment: {
        COUNTERSIGN_CHAIN_ENDPOINTS: JSON.stringify({ [CHAIN]: [node.url] }),
        COUNTERSIGN_CHAIN_NETWORKS: '127.0.0.0/8',
        COUNTERSIGN_SEND_CONFIRMATIONS: '2',
      },
    });

  beforeAll(async () => {
    anvil = await startAnvil();
    node = await serveNode((method, params) => {
      const call = () => anvil.call(method, params as unknown[]).catch(({ message }) => ({ error: { code: -32000, message } }));
      if (method !== 'eth_sendRawTransaction') return call();
      handed.push((params as [string])[0]);
      return treat(call);
    });
    installation = await engines.sqlite();
  });
  afterAll(async () => {
    await server?.kill();
    await installation?.remove();
    await node?.close();
    await anvil?.stop();
  });

  const never = () => new Promise<never>(() => undefined);

  test.each<[string, typeof treat]>([
    ['before the node has the transaction', never],
    ['before the node answers', (send) => send().then(never)],
  ])(
    'D741: a transaction is sent once by a server that starts after one was killed %s',
    { timeout: 240_000 },
    async (_, hold) => {
      handed.length = 0;
      treat = hold;
      server = await start();
      const from = await fundedAccount(server.root, anvil);
      const before = BigInt(await anvil.call<string>('eth_getBalance', [RECEIVER, 'latest']));
      const { sendTransactionStatusId: id } = await server.root.result('ethSendTransaction', payment(from));
      await expect.poll(() => handed.length).toBe(1);
      await server.kill();
      treat = (send) => send();
      server = await start();
      const { root } = server;
      await confirm(root, anvil, id);
      const next = await pay(root, from);
      await confirm(root, anvil, next);
      expect(await noncesOf(root, [id, next])).toEqual([0, 1]);
      expect(handed.filter((signed) => signed === handed[0]).length).toBe(handed.length - 1);
      expect(BigInt(await anvil.call<string>('eth_getBalance', [RECEIVER, 'latest'])) - before).toBe(2n);
      await server.kill();
    },
  );

  test('D1004: a server that starts after a kill hands over the same bytes that remove a delegation', {
    timeout: 240_000,
  }, async () => {
    handed.length = 0;
    treat = never;
    server = await start();
    const from = await fundedAccount(server.root, anvil);
    await delegate(server.root, anvil, from);
    const { sendTransactionStatusId: id } = await undelegate(server.root, from);
    await expect.poll(() => handed.length).toBe(1);
    await server.kill();
    treat = (send) => send();
    server = await start();
    const { root } = server;
    await confirm(root, anvil, id);
    expect(await anvil.call('eth_getCode', [from, 'latest'])).toBe('0x');
    expect(handed.length).toBeGreaterThan(1);
    expect(new Set(handed).size).toBe(1);
    await server.kill();
  });

  test('D909: a payment that the nodes reject after a kill can be cancelled, and the account goes on', {
    timeout: 240_000,
  }, async () => {
    handed.length = 0;
    treat = never;
    server = await start();
    const from = await fundedAccount(server.root, anvil, 4);
    const id = await pay(server.root, from, { value: `${3n * ETHER}` });
    await expect.poll(() => handed.length).toBe(1);
    await server.kill();
    treat = (send) => send();
    await anvil.fund(from, 1);
    server = await start();
    const { root } = server;
    const lastError = async () => `${(await statusOf(root, id)).transaction.lastError}`;
    await expect.poll(lastError, { timeout: 100_000 }).toContain('cancel the transaction with ETH_REPLACE_TRANSACTION');
    expect(await lastError()).toMatch(/insufficient funds/i);
    expect((await statusOf(root, id)).txStatus).toBe('BROADCASTING');
    const { sendTransactionStatusId: cancellation, transactionHash } = await cancel(root, from, id);
    await confirm(root, anvil, cancellation);
    expect(await reach(root, id, 'CANCELLED')).toMatchObject({ transaction: { replacedBy: transactionHash } });
    const next = await pay(root, from);
    await confirm(root, anvil, next);
    expect(await noncesOf(root, [id, cancellation, next])).toEqual([0, 0, 1]);
    await server.kill();
  });
});

import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { serveHttp } from '../../../packages/server/test/notify/webhooks/loopback-server.ts';
import { placeOf, type Serving, serve } from '../../faults/fault/support/serving.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { startSolanaNode } from '../../support/solana-node.ts';
import { createTronLedger } from '../../support/tron-ledger.ts';
import { fundedSolana, lamportsOf, paySol, reachSol, SOL, RECEIVER as SOLANA_RECEIVER } from './solana-support.ts';
import { fundedTron, payTrx, reachTrx, serveTron, RECEIVER as TRON_RECEIVER, TRX } from './tron-support.ts';

/** A chain whose transactions expire. */
interface Chain {
  readonly name: string;
  readonly url: string;
  readonly price: bigint;
  /** The transactions that reached the node. */
  readonly handed: readonly string[];
  fundedAccount(root: Caller): Promise<string>;
  pay(root: Caller, from: string): Promise<string>;
  complete(root: Caller, id: string): Promise<Json>;
  received(): Promise<bigint>;
  close(): Promise<void>;
}

async function startSolana(): Promise<Chain> {
  const node = await startSolanaNode();
  return {
    name: node.chain,
    url: node.url,
    price: SOL,
    handed: node.ledger.handed,
    fundedAccount: (root) => fundedSolana(root, node),
    pay: (root, from) => paySol(root, node, from),
    complete: (root, id) => reachSol(root, node, id, 'COMPLETED'),
    received: () => lamportsOf(node, SOLANA_RECEIVER),
    close: node.close,
  };
}

async function startTron(): Promise<Chain> {
  const ledger = createTronLedger();
  const { url, close } = await serveTron(ledger);
  return {
    name: ledger.chain,
    url,
    price: TRX,
    handed: ledger.handed,
    fundedAccount: (root) => fundedTron(root, ledger),
    pay: (root, from) => payTrx(root, ledger, from),
    complete: (root, id) => reachTrx(root, ledger, id, 'COMPLETED'),
    received: async () => ledger.balanceOf(TRON_RECEIVER),
    close,
  };
}

type Moment = 'before the node has the transaction' | 'before the node answers';

/** A front of a node that stops answering when a transaction is handed over. */
async function startFront(target: string) {
  const handed: string[] = [];
  let stuckAt: Moment | undefined;
  const server = await serveHttp(async (request, response) => {
    const body = await text(request);
    const isHandedOver = /^\/wallet\/broadcasthex$/.test(request.url ?? '') || JSON.parse(body).method === 'sendTransaction';
    if (isHandedOver) handed.push(JSON.stringify(JSON.parse(body).params ?? body));
    if (isHandedOver && stuckAt === 'before the node has the transaction') return;
    const answer = await fetch(new URL(request.url ?? '', target), { method: 'POST', body });
    const shown = await answer.text();
    if (isHandedOver && stuckAt === 'before the node answers') return;
    response.setHeader('content-type', 'application/json');
    response.end(shown);
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    handed,
    stick(moment: Moment | undefined) {
      stuckAt = moment;
    },
    close: server.close,
  };
}

describe.each([
  ['Solana', startSolana],
  ['Tron', startTron],
])('kill -9 of a server that sends on %s', (_, startChain) => {
  let chain: Chain;
  let front: Awaited<ReturnType<typeof startFront>>;
  let installation: Installation;
  let server: Serving | undefined;

  const start = () =>
    serve(placeOf(installation), [], {
      environment: {
        COUNTERSIGN_CHAIN_ENDPOINTS: JSON.stringify({ [chain.name]: [front.url] }),
        COUNTERSIGN_CHAIN_NETWORKS: '127.0.0.0/8',
      },
    });

  beforeAll(async () => {
    chain = await startChain();
    front = await startFront(chain.url);
    installation = await engines.sqlite();
  });
  afterEach(() => server?.kill());
  afterAll(async () => {
    await installation?.remove();
    await front?.close();
    await chain?.close();
  });

  test.each<Moment>(['before the node has the transaction', 'before the node answers'])(
    'D910: a payment is made once, with the same bytes, by a server that starts after one was killed %s',
    { timeout: 240_000 },
    async (moment) => {
      front.handed.length = 0;
      const arrived = chain.handed.length;
      front.stick(moment);
      server = await start();
      const from = await chain.fundedAccount(server.root);
      const before = await chain.received();
      const id = await chain.pay(server.root, from);
      await expect.poll(() => front.handed.length, { timeout: 60_000 }).toBe(1);
      const isWithNode = moment === 'before the node answers';
      await expect.poll(() => chain.handed.length - arrived, { timeout: 60_000 }).toBe(isWithNode ? 1 : 0);
      await server.kill();
      front.stick(undefined);
      server = await start();
      const { root } = server;
      // The stand-ins have no time but their blocks, so the transaction does not expire meanwhile.
      if (!isWithNode) await expect.poll(() => front.handed.length, { timeout: 100_000 }).toBeGreaterThan(1);
      await chain.complete(root, id);
      expect(new Set(front.handed).size).toBe(1);
      expect((await chain.received()) - before).toBe(chain.price);
    },
  );
});

import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, type Installation } from '../support/installation.ts';
import { startService, type TestService } from '../support/service.ts';
import { createPrivateKey, signParams } from '../support/world.ts';

const CHECK_MS = 100;

/** A balancer that asks each node whether it is ready, sends requests to the ready ones in turn, and tries nothing twice. */
async function startBalancer() {
  const nodes = new Map<string, boolean>();
  let turn = 0;
  const check = async (url: string) => {
    const ready = await fetch(new URL('/readyz', url)).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (nodes.has(url)) nodes.set(url, ready);
  };
  const timer = setInterval(() => {
    for (const url of nodes.keys()) void check(url);
  }, CHECK_MS);
  const server = createServer((incoming, outgoing) => {
    const ready = [...nodes].filter(([, isReady]) => isReady).map(([url]) => url);
    const chosen = ready[turn++ % ready.length];
    if (chosen === undefined) {
      outgoing.writeHead(502).end();
      return;
    }
    const { method, headers, url: path } = incoming;
    const passed = httpRequest(new URL(path ?? '/', chosen), { method, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.writeHead(502).end());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async add(url: string) {
      nodes.set(url, false);
      await check(url);
    },
    remove: (url: string) => nodes.delete(url),
    close() {
      clearInterval(timer);
      server.closeAllConnections();
      server.close();
    },
  };
}

describe('D170: two nodes behind a balancer are restarted one after the other', () => {
  let installation: Installation;
  let balancer: Awaited<ReturnType<typeof startBalancer>>;

  beforeAll(async () => {
    installation = await engines.sqlite();
    balancer = await startBalancer();
  });
  afterAll(async () => {
    balancer.close();
    await installation.remove();
  });

  test('no request fails while a stopping node goes on until the balancer has noticed', async () => {
    const start = () => startService(installation, { config: { lameDuckSeconds: 2 } });
    let nodes: TestService[] = [await start(), await start()];
    for (const { url } of nodes) await balancer.add(url);
    const root = (nodes[0] as TestService).root.with({ url: balancer.url });
    const signWith = await createPrivateKey(root);
    const statuses: number[] = [];
    let isOver = false;
    const client = async () => {
      while (!isOver) {
        const { status } = await root.submit('signRawPayload', signParams(signWith)).catch(() => ({ status: 0 }));
        statuses.push(status);
        await sleep(5);
      }
    };
    const clients = [client(), client(), client(), client()];
    for (const node of nodes) {
      await sleep(200);
      await node.close();
      balancer.remove(node.url);
      const replacement = await start();
      await balancer.add(replacement.url);
      nodes = [...nodes.filter((each) => each !== node), replacement];
    }
    await sleep(200);
    isOver = true;
    await Promise.all(clients);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    expect(statuses.length).toBeGreaterThan(50);
    for (const node of nodes) await node.close();
  });
});

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, type Installation } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createPrivateKey, signParams } from '../../support/world.ts';
import { type Balancer, startBalancer } from './support/balancer.ts';

describe('D170: two nodes behind a balancer are restarted one after the other', () => {
  let installation: Installation;
  let balancer: Balancer;

  beforeAll(async () => {
    installation = await engines.sqlite();
    balancer = await startBalancer();
  });
  afterAll(async () => {
    balancer?.close();
    await installation?.remove();
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

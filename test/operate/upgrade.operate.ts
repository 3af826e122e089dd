import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Balancer, startBalancer } from '../faults/fault/support/balancer.ts';
import { placeOf, rootOf, serve } from '../faults/fault/support/serving.ts';
import { makeDataDirectory } from '../support/data-directory.ts';
import { engines, type Installation } from '../support/installation.ts';
import { createPrivateKey, signParams } from '../support/world.ts';
import { buildRelease, PREVIOUS } from './previous-release.ts';
import { freePort, type Program, startProgram, untilReady } from './program.ts';

interface Node {
  readonly url: string;
  stop(): Promise<void>;
}

describe(`an upgrade from ${PREVIOUS}, one node after the other`, () => {
  let installation: Installation;
  let balancer: Balancer;
  let command: string;
  const nodes: Node[] = [];

  async function startOld(): Promise<Node> {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const place = placeOf(installation);
    const words = ['serve', '--host', '127.0.0.1', '--port', String(port), '--data-dir', place.directory, '--log-level', 'error'];
    const program: Program = startProgram(process.execPath, [command, ...words, '--lame-duck-seconds', '2'], {
      env: { ...process.env, COUNTERSIGN_DATABASE_URL: place.databaseUrl as string },
    });
    await untilReady(url, program);
    return { url, stop: program.stop };
  }

  async function startNew(): Promise<Node> {
    const serving = await serve(placeOf(installation), ['--lame-duck-seconds', '2']);
    const stop = async () => {
      serving.signal('SIGTERM');
      expect((await serving.ended).code).toBe(0);
    };
    return { url: serving.url, stop };
  }

  beforeAll(async () => {
    command = buildRelease(PREVIOUS, makeDataDirectory('previous'));
    installation = await engines.postgres();
    balancer = await startBalancer();
    for (let count = 0; count < 3; count++) nodes.push(await startOld());
    for (const { url } of nodes) await balancer.add(url);
  });
  afterAll(async () => {
    for (const node of nodes) await node.stop();
    balancer?.close();
    await installation?.remove();
  });

  test('no request fails while old and new nodes run side by side', async () => {
    const root = rootOf(placeOf(installation), balancer.url);
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
    const clients = Array.from({ length: 4 }, client);
    for (const [index, old] of [...nodes].entries()) {
      await sleep(500);
      await old.stop();
      balancer.remove(old.url);
      const replacement = await startNew();
      nodes[index] = replacement;
      await balancer.add(replacement.url);
      // A change at the new node is in force at the old ones, and the other way round.
      await createPrivateKey(root);
    }
    await sleep(500);
    isOver = true;
    await Promise.all(clients);
    const failed = statuses.filter((status) => status !== 200);
    process.stdout.write(`upgrade of 3 nodes from ${PREVIOUS}: ${statuses.length} requests, ${failed.length} failed\n`);
    expect(failed).toEqual([]);
    expect(statuses.length).toBeGreaterThan(100);
  });

  test('a node of the release before does not start on the newer schema, and says why', async () => {
    await expect(startOld()).rejects.toThrow(/the database has schema version \d+, but this release knows only up to \d+/);
  });
});

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { placeOf, type Serving, serve } from '../faults/fault/support/serving.ts';
import { makeDataDirectory } from '../support/data-directory.ts';
import { installedFile } from '../support/debian-packages.ts';
import { engines, type Installation } from '../support/installation.ts';
import { createPrivateKey, signParams } from '../support/world.ts';
import { deployFolder, freePort, type Program, startProgram } from './program.ts';

describe('D170: three nodes behind HAProxy are restarted one after the other', () => {
  let installation: Installation;
  let haproxy: Program;
  let url: string;
  const nodes: Serving[] = [];
  const ports: number[] = [];

  const start = (port: number | undefined) =>
    serve(placeOf(installation), ['--port', String(port), '--lame-duck-seconds', '4', '--trusted-proxies', '127.0.0.1/32']);

  beforeAll(async () => {
    const program = installedFile(['/usr/sbin/haproxy'], ['haproxy'], 'The test of a rolling restart needs HAProxy');
    installation = await engines.postgres();
    for (let count = 0; count < 3; count++) {
      ports.push(await freePort());
      nodes.push(await start(ports.at(-1)));
    }
    const front = await freePort();
    url = `http://127.0.0.1:${front}`;
    // The file as it is, with the addresses of this machine.
    const text = readFileSync(join(deployFolder, 'haproxy/haproxy.cfg'), 'utf8')
      .replace('bind :8443', `bind 127.0.0.1:${front}`)
      .replace(/node(\d):8787/g, (_, number) => `127.0.0.1:${ports[Number(number) - 1]}`);
    const file = join(makeDataDirectory('haproxy'), 'haproxy.cfg');
    writeFileSync(file, text);
    execFileSync(program, ['-c', '-f', file]);
    haproxy = startProgram(program, ['-f', file]);
    await sleep(500);
    haproxy.requireRunning();
  });
  afterAll(async () => {
    await haproxy?.stop();
    await Promise.all(nodes.map((node) => node.kill()));
    await installation?.remove();
  });

  test('no request fails', async () => {
    const root = (nodes[0] as Serving).root.with({ url });
    await expect.poll(async () => (await root.query('whoami').catch(() => ({ status: 0 }))).status).toBe(200);
    const signWith = await createPrivateKey(root);
    const statuses: number[] = [];
    const times: number[] = [];
    let isOver = false;
    const client = async () => {
      while (!isOver) {
        const startedAt = performance.now();
        const { status } = await root.submit('signRawPayload', signParams(signWith)).catch(() => ({ status: 0 }));
        statuses.push(status);
        times.push(performance.now() - startedAt);
        await sleep(5);
      }
    };
    const clients = Array.from({ length: 8 }, client);
    for (const [index, node] of nodes.entries()) {
      await sleep(1_000);
      node.signal('SIGTERM');
      expect((await node.ended).code).toBe(0);
      nodes[index] = await start(ports[index]);
      // Until HAProxy sends it requests again.
      await sleep(3_000);
    }
    isOver = true;
    await Promise.all(clients);
    const failed = statuses.filter((status) => status !== 200);
    process.stdout.write(
      `rolling restart of 3 nodes behind HAProxy: ${statuses.length} requests, ${failed.length} failed, longest ${Math.round(Math.max(...times))} ms\n`,
    );
    expect(failed).toEqual([]);
    expect(statuses.length).toBeGreaterThan(100);
  });

  test('the metrics are not public', async () => {
    expect((await fetch(`${url}/metrics`)).status).toBe(403);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });
});

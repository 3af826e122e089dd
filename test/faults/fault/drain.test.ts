import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { encodeStamp, stampFields } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { createWallet, signParams } from '../../support/world.ts';
import { renderReport, runCampaign } from './support/campaign.ts';
import { childrenOf, exists } from './support/command-process.ts';
import { placeOf, type Serving, serve } from './support/serving.ts';
import { waitUntil } from './support/wait-until.ts';

/** The server is given more time to drain, so that a busy machine leaves a difference between "at once" and "when it must". */
const GRACE = ['--shutdown-seconds', '120'];
const PATIENCE_MS = 60_000;

/** A connection that a test writes to piece by piece. */
interface Line {
  readonly socket: Socket;
  text(): string;
  isClosed(): boolean;
  /** Writes the beginning of a request, and waits until the server has read it: it comes right behind a request that is answered. */
  begin(part: string): Promise<void>;
}

async function open(url: string): Promise<Line> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString()));
  socket.on('error', () => undefined); // the test only needs to see that it ends
  await new Promise((resolve) => socket.once('connect', resolve));
  return {
    socket,
    text: () => text,
    isClosed: () => socket.closed,
    async begin(part) {
      socket.write(get('/healthz') + part);
      expect(await waitUntil(PATIENCE_MS, () => text.endsWith('ok\n'))).toBe(true);
      text = '';
    },
  };
}

/** A signing request as bytes, split in its body. */
async function halves(root: Caller): Promise<[string, string]> {
  const { addresses } = await createWallet(root);
  const body = root.submitBody('signRawPayload', signParams(addresses[0] as string));
  const stamp = encodeStamp(stampFields(root.key, Buffer.from(body)));
  const head = `POST ${root.submitPath('signRawPayload')} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-Stamp: ${stamp}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
  return [head + body.slice(0, 50), body.slice(50)];
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

describe.each([1, 2])('stopping a server with --workers %i', (workers) => {
  let installation: Installation;
  let serving: Serving;

  const start = async (flags = GRACE) => {
    serving = await serve(placeOf(installation), ['--workers', String(workers), ...flags], { group: true });
  };

  beforeEach(async () => {
    installation = await engines.sqlite();
  });
  afterEach(async () => {
    await serving?.kill();
    await installation?.remove();
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s: idle connections end at once, a request in flight is answered, the exit code is 0',
    async (signal) => {
      await start();
      const [first, rest] = await halves(serving.root);
      const [idle, unused, busy, probe] = (await Promise.all([1, 2, 3, 4].map(() => open(serving.url)))) as [
        Line,
        Line,
        Line,
        Line,
      ];
      probe.socket.write('GET /readyz HTTP/1.1\r\nHost: x\r\n');
      idle.socket.write(get('/healthz'));
      expect(await waitUntil(PATIENCE_MS, () => idle.text().includes('ok'))).toBe(true);
      await busy.begin(first);
      await sleep(300);
      const children = childrenOf(serving.pid);

      serving.signal(signal);
      expect(await waitUntil(PATIENCE_MS, () => idle.isClosed() && unused.isClosed())).toBe(true);
      await expect(fetch(`${serving.url}/healthz`)).rejects.toThrow();
      expect(serving.isRunning()).toBe(true);
      probe.socket.write('\r\n');
      expect(await waitUntil(PATIENCE_MS, () => probe.isClosed())).toBe(true);
      expect(probe.text()).toMatch(/^HTTP\/1\.1 503 [\s\S]*connection: close[\s\S]*stopping\n$/i);
      busy.socket.write(rest);
      const { code, stderr } = await serving.ended;
      expect(busy.text()).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: close[\s\S]*ACTIVITY_STATUS_COMPLETED/i);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(children.filter(exists)).toEqual([]);
    },
  );

  test('requests that exceed the grace time are cut off, and the exit code is still 0', async () => {
    await start(['--shutdown-seconds', '1']);
    const [first] = await halves(serving.root);
    const lines = await Promise.all([open(serving.url), open(serving.url)]);
    await lines[0]?.begin(first);
    await lines[1]?.begin('GET /healthz HTTP/1.1\r\nX-Slow: ');
    serving.signal('SIGTERM');
    expect(await serving.ended).toMatchObject({ code: 0 });
    expect(await waitUntil(PATIENCE_MS, () => lines.every((line) => line.isClosed()))).toBe(true);
  });

  test('Ctrl-C still drains, although the terminal signals the whole process group and npm signals again', async () => {
    await start();
    const [first, rest] = await halves(serving.root);
    const busy = await open(serving.url);
    await busy.begin(first);
    process.kill(-serving.pid, 'SIGINT');
    await sleep(50);
    serving.signal('SIGINT');
    await sleep(500);
    busy.socket.write(rest);
    expect(await serving.ended).toMatchObject({ code: 0 });
    expect(busy.text()).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('a deliberate second signal ends it at once and leaves no worker behind', async () => {
    await start();
    const [first] = await halves(serving.root);
    const [busy, idle] = await Promise.all([open(serving.url), open(serving.url)]);
    await busy.begin(first);
    const children = childrenOf(serving.pid);
    serving.signal('SIGTERM');
    // It has seen the first signal.
    expect(await waitUntil(PATIENCE_MS, () => idle.isClosed())).toBe(true);
    await sleep(1_500);
    expect(serving.isRunning()).toBe(true);
    serving.signal('SIGTERM');
    expect(await waitUntil(PATIENCE_MS, () => !serving.isRunning())).toBe(true);
    expect(await waitUntil(PATIENCE_MS, () => !children.some(exists))).toBe(true);
    expect(busy.text()).toBe('');
  });

  test('R1, R2: SIGTERM under load loses nothing and runs nothing twice', async () => {
    const report = await runCampaign({ place: placeOf(installation), kills: 1, workers, signal: 'SIGTERM', loadMs: 300 });
    expect(report.violations, renderReport('SIGTERM', report)).toEqual({
      lostAcks: [],
      doubleExecutions: [],
      illegalTransitions: [],
      others: [],
    });
  });
});

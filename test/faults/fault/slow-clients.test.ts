import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, type Installation } from '../../support/installation.ts';
import { sendRaw } from '../../support/raw-http.ts';
import { createWallet, signParams } from '../../support/world.ts';
import { Crowd } from './support/crowd.ts';
import { placeOf, type Serving, serve } from './support/serving.ts';
import { waitUntil } from './support/wait-until.ts';

/** How long the public health page takes, in milliseconds. */
async function expectHealthy(url: string): Promise<void> {
  const answer = await sendRaw(url, ['GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'], PATIENCE_MS);
  expect(answer.status).toBe(200);
}

/** Others are served and hostile clients are cut off long before, also on a busy machine. */
const PATIENCE_MS = 30_000;

describe.each([1, 2])('fault 11: slow, idle and hostile clients of a server with --workers %i', (workers) => {
  let installation: Installation;
  let serving: Serving;
  let address: string;

  beforeAll(async () => {
    installation = await engines.sqlite();
    serving = await serve(placeOf(installation), ['--workers', String(workers), '--request-timeout-seconds', '2']);
    address = (await createWallet(serving.root)).addresses[0] as string;
  });
  afterAll(async () => {
    await serving?.kill();
    await installation?.remove();
  });

  const sign = async () => (await serving.root.submit('signRawPayload', signParams(address))).status;

  test('five hundred silent connections and a hundred with dripping headers are cut off, and others are served', async () => {
    const silent = new Crowd(serving.url, 500, '');
    const dripping = new Crowd(serving.url, 100, 'POST /public/v1/submit/sign_raw_payload HTTP/1.1\r\nHost: x\r\n');
    const drip = setInterval(() => {
      for (const socket of dripping.sockets) if (socket.writable) socket.write('X-Drop: 1\r\n');
    }, 100);
    for (let round = 0; round < 5; round++) {
      await expectHealthy(serving.url);
      expect(await sign()).toBe(200);
      await sleep(100);
    }
    expect(await waitUntil(PATIENCE_MS, () => dripping.ended === 100 && silent.ended === 500)).toBe(true);
    clearInterval(drip);
    expect(await sign()).toBe(200);
  });

  test('incomplete bodies are cut off', async () => {
    const head =
      'POST /public/v1/submit/sign_raw_payload HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{';
    const crowd = new Crowd(serving.url, 100, head);
    await sleep(200);
    await expectHealthy(serving.url);
    expect(await waitUntil(PATIENCE_MS, () => crowd.ended === 100)).toBe(true);
  });

  test.each([
    ['one header of a megabyte', `X-Large: ${'x'.repeat(1_000_000)}\r\n`],
    ['a hundred thousand headers', 'X-Small: 1\r\n'.repeat(100_000)],
    ['a malformed header', 'no colon here\r\n'],
  ])('%s: refused, and others are served', async (_, headers) => {
    const answer = await sendRaw(serving.url, [`GET /healthz HTTP/1.1\r\nHost: x\r\n${headers}\r\n`], PATIENCE_MS);
    // If the server closes while it still receives, its answer may be lost. It must not process the request.
    expect([0, 400, 431]).toContain(answer.status);
    await expectHealthy(serving.url);
    expect(await sign()).toBe(200);
  });

  test('the server still runs and has logged no failure', () => {
    expect(serving.isRunning()).toBe(true);
    expect(serving.stderr()).toBe('');
  });
});

test('fault 11: a server that runs out of file descriptors stays up and recovers', async () => {
  const installation = await engines.sqlite();
  const serving = await serve(placeOf(installation), ['--request-timeout-seconds', '60'], { shell: 'ulimit -n 400' });
  const { addresses } = await createWallet(serving.root);
  const crowd = new Crowd(serving.url, 600, '');
  await sleep(500);
  const sign = () => serving.root.submit('signRawPayload', signParams(addresses[0] as string));
  // The connection that fetch keeps open existed before the crowd.
  const during = await Promise.race([
    sign().then(
      ({ status }) => status,
      () => 'refused',
    ),
    sleep(3_000, 'waits'),
  ]);
  expect([200, 'refused', 'waits']).toContain(during);
  crowd.leave();
  expect(await waitUntil(PATIENCE_MS, async () => (await sign().catch(() => undefined))?.status === 200)).toBe(true);
  expect(serving.isRunning()).toBe(true);
  await serving.kill();
  await installation.remove();
});

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { placeOf, type Serving, serve } from '../../faults/fault/support/serving.ts';
import { waitUntil } from '../../faults/fault/support/wait-until.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { signParams } from '../../support/world.ts';

const PATIENCE_MS = 120_000;

let installation: Installation;
let serving: Serving;
const sockets: Socket[] = [];

beforeAll(async () => {
  installation = await engines.sqlite();
  serving = await serve(placeOf(installation), ['--requests-per-address', '0', '--connections-per-address', '1000']);
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await serving?.kill();
  await installation?.remove();
});

/** The resident memory of the server, in MiB. */
const residentMebibytes = () =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${serving.pid}/status`, 'utf8'))?.[1]) / 1024;

/** How much the memory has grown at most during an action, in MiB. */
async function growthDuring(action: () => Promise<void>): Promise<number> {
  const before = residentMebibytes();
  let highest = before;
  const sampler = setInterval(() => {
    highest = Math.max(highest, residentMebibytes());
  }, 20);
  await action();
  clearInterval(sampler);
  return Math.max(highest, residentMebibytes()) - before;
}

const isServed = async () => (await serving.root.query('whoami')).status === 200;

test('D13: bodies that are rejected do not stay in memory', async () => {
  const { root } = serving;
  const path = root.submitPath('signRawPayload');
  const body = root.submitBody('signRawPayload', signParams('x'));
  const within = (text: string) => body.replace('"payload"', `"x":${text},"payload"`);
  const hostile: readonly (readonly [string, number])[] = [
    [within(`[${'0,'.repeat(450_000)}0]`), 400],
    [within(`${'['.repeat(450_000)}${']'.repeat(450_000)}`), 400],
    [within(`{${Array.from({ length: 70_000 }, (_, at) => `"name${at}":1`).join()}}`), 400],
    [within(`"${'x'.repeat(900_000)}"`).replace('"payload"', 'payload'), 400],
    [within(`"${'\\u0041'.repeat(150_000)}`), 400],
    ['x'.repeat(2_000_000), 413],
  ];
  const sendAll = () =>
    Promise.all(hostile.map(async ([text, status]) => expect(await root.send(path, text)).toMatchObject({ status })));
  // The memory that the first ones leave to the heap is used again by later ones.
  for (let sent = 0; sent < 5; sent++) await sendAll();
  const growth = await growthDuring(async () => {
    for (let sent = 0; sent < 40; sent++) await sendAll();
  });
  // Those that are read are 170 MiB together.
  expect(growth).toBeLessThan(120);
  expect(await isServed()).toBe(true);
});

test('D13: bodies that strangers never complete take bounded memory', async () => {
  const head = 'POST /public/v1/submit/create_policies HTTP/1.1\r\nHost: x\r\nX-Stamp: forged\r\nContent-Length: 1000000\r\n\r\n';
  const growth = await growthDuring(async () => {
    const port = Number(new URL(serving.url).port);
    for (let opened = 0; opened < 400; opened++) {
      const socket = connect({ host: '127.0.0.1', port }).on('error', () => undefined);
      sockets.push(socket.resume());
      await once(socket, 'connect').catch(() => undefined);
      socket.write(head + ' '.repeat(900_000));
    }
    const isRejected = ({ destroyed, readableEnded }: Socket) => destroyed || readableEnded;
    expect(await waitUntil(PATIENCE_MS, () => sockets.some(isRejected))).toBe(true);
    await sleep(2_000);
  });
  // They would be 343 MiB. 64 MiB of unfinished bodies are kept (--max-unfinished-body-bytes).
  expect(growth).toBeLessThan(180);
  expect(await isServed()).toBe(true);
});

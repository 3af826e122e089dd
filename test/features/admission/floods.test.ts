import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { placeOf, type Serving, serve } from '../../faults/fault/support/serving.ts';
import { waitUntil } from '../../faults/fault/support/wait-until.ts';
import type { Caller } from '../../support/caller.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { sendRaw } from '../../support/raw-http.ts';
import { createPrivateKey, createSubOrganization, signParams } from '../../support/world.ts';

const PATIENCE_MS = 30_000;

let installation: Installation;
let serving: Serving;
let signer: Caller;
let signWith: string;

beforeAll(async () => {
  installation = await engines.sqlite();
  serving = await serve(placeOf(installation), [
    ...['--workers', '2', '--trusted-proxies', '127.0.0.1/32'],
    ...['--max-untaken-answer-bytes', '16777216', '--requests-per-address', '0'],
  ]);
  signer = (await createSubOrganization(serving.root)).caller;
  signWith = await createPrivateKey(signer);
});
afterAll(async () => {
  expect(serving?.stderr()).toBe('');
  await serving?.kill();
  await installation?.remove();
});

const sign = async () => (await signer.submit('signRawPayload', signParams(signWith))).status;

/** Signs several times, one after the other. Returns how far `progress` went during each signature, in ascending order. */
async function progressPerSignature(progress: () => number, signatures = 20): Promise<number[]> {
  const steps: number[] = [];
  for (let done = 0; done < signatures; done++) {
    const before = progress();
    expect(await sign()).toBe(200);
    steps.push(progress() - before);
  }
  return steps.sort((a, b) => a - b);
}

const median = (sorted: readonly number[]) => sorted[sorted.length >> 1] as number;

/** Repeats `attack` in so many parallel loops until `stop` is called. Counts the completed ones. */
function repeat(parallel: number, attack: () => Promise<unknown>) {
  let isOver = false;
  let completed = 0;
  const loops = Array.from({ length: parallel }, async () => {
    while (!isOver) {
      await attack();
      completed += 1;
    }
  });
  return {
    completed: () => completed,
    async stop() {
      isOver = true;
      await Promise.all(loops);
    },
  };
}

const post = (path: string, lines: readonly string[], body = '') =>
  `${[`POST ${path} HTTP/1.1`, 'Host: x', 'Content-Type: application/json', ...lines].join('\r\n')}\r\n\r\n${body}`;

async function refusals(limit: string): Promise<number> {
  const { text } = await sendRaw(serving.url, ['GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'], PATIENCE_MS);
  return Number(new RegExp(`countersign_refused_total\\{limit="${limit}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
}

// Counts of other clients' requests instead of times: a busy machine slows both.
describe('floods without a credential', () => {
  test('D244: a client that keeps reconnecting barely delays a tenant', async () => {
    const unstamped = post(signer.queryPath('whoami'), ['Content-Length: 2', 'Connection: close'], '{}');
    const flood = repeat(40, () => sendRaw(serving.url, [unstamped], PATIENCE_MS));
    const steps = await progressPerSignature(flood.completed, 40);
    await flood.stop();
    expect(flood.completed()).toBeGreaterThan(40);
    expect(median(steps)).toBeLessThan(40);
  });

  test('D248: a tenant signs while a hundred connections send a long body each', async () => {
    const length = 900_000;
    const head = ['X-Stamp: x', `Content-Length: ${length}`, 'Connection: close'];
    const long = post(signer.submitPath('signRawPayload'), head, ' '.repeat(length));
    const flood = repeat(100, () => sendRaw(serving.url, [long], PATIENCE_MS));
    const steps = await progressPerSignature(flood.completed, 12);
    await flood.stop();
    expect(median(steps)).toBeLessThan(50);
  });

  test('D251: an address with many rejected bodies waits for each further rejection, others do not', async () => {
    const tooLong = (from: string) =>
      sendRaw(
        serving.url,
        [post(signer.queryPath('whoami'), ['Content-Length: 9000000', `X-Forwarded-For: ${from}`])],
        PATIENCE_MS,
      );
    const rounds = [];
    for (let round = 0; round < 8; round++)
      rounds.push(await Promise.all(Array.from({ length: 50 }, () => tooLong('192.0.2.251'))));
    expect(new Set(rounds.flat().map(({ status }) => status))).toEqual(new Set([413]));
    // An address gets a few immediate rejections in each second, at each worker.
    expect(rounds.at(-1)?.filter(({ elapsedMs }) => elapsedMs >= 100).length).toBeGreaterThan(25);
    // A few, because a busy machine may be slow with one of them.
    const others = [];
    for (let sent = 0; sent < 6; sent++) others.push((await tooLong('192.0.2.1')).elapsedMs);
    expect(Math.min(...others)).toBeLessThan(100);
  });
});

test('D245: a tenant that signs constantly does not delay another tenant', async () => {
  const busy = (await createSubOrganization(serving.root)).caller;
  const key = await createPrivateKey(busy);
  const load = repeat(48, () => busy.submit('signRawPayload', signParams(key)));
  const steps = await progressPerSignature(load.completed);
  await load.stop();
  console.log('D245', steps);
  expect(median(steps)).toBeLessThan(48);
});

describe('responses that nobody reads', () => {
  const get = (from: string) => `GET /openapi.json HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${from}\r\n\r\n`;
  const RESPONSES = 7;

  // Each worker builds the page when somebody first asks for it.
  beforeAll(() => Promise.all(Array.from({ length: 4 }, () => sendRaw(serving.url, [get('192.0.2.1')], PATIENCE_MS))));

  /** Connections that ask for a long page several times and read nothing. The system takes the first few responses. */
  async function hoard(addresses: readonly string[]): Promise<Socket[]> {
    const { hostname, port } = new URL(serving.url);
    const sockets = addresses.map(() =>
      connect(Number(port), hostname)
        .on('error', () => undefined)
        .pause(),
    );
    for (let sent = 0; sent < RESPONSES; sent++) {
      for (const [at, socket] of sockets.entries()) socket.write(get(addresses[at] as string));
      await sleep(100);
    }
    return sockets;
  }

  /** The bytes that a connection receives until it ends, or has received as many as it should. */
  function drain(socket: Socket, expected: number): Promise<number> {
    return new Promise((resolve) => {
      let bytes = 0;
      socket.on('data', (chunk) => {
        bytes += chunk.length;
        if (bytes >= expected) resolve(bytes);
      });
      socket.once('close', () => resolve(bytes));
      socket.resume();
    });
  }

  const leave = (sockets: readonly Socket[]) => {
    for (const socket of sockets) socket.destroy();
  };

  test('D202: long public pages count as unread responses, and others are served', async () => {
    const before = await refusals('untakenAnswers');
    const sockets = await hoard(Array.from({ length: 40 }, (_, at) => `192.0.2.${at}`));
    expect(await waitUntil(PATIENCE_MS, async () => (await refusals('untakenAnswers')) >= before + 4)).toBe(true);
    expect(await sign()).toBe(200);
    leave(sockets);
  });

  test('D176: they count for the network of the client behind a proxy, so that other clients keep theirs', async () => {
    const [before, whole] = [await refusals('untakenAnswers'), await sendRaw(serving.url, [get('192.0.2.1')], PATIENCE_MS)];
    const victims = await hoard(['2001:db8:1::1', '2001:db8:2::1', '2001:db8:3::1', '2001:db8:4::1']);
    const hoarders = await hoard(Array.from({ length: 40 }, (_, at) => `2001:db8:ffff::${at}`));
    expect(await waitUntil(PATIENCE_MS, async () => (await refusals('untakenAnswers')) >= before + 4)).toBe(true);
    const expected = whole.text.length * RESPONSES;
    const received = await Promise.all(victims.map((socket) => drain(socket, expected)));
    expect(received).toEqual(victims.map(() => expected));
    leave([...victims, ...hoarders]);
  });
});

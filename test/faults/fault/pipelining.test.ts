import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, type Installation } from '../../support/installation.ts';
import { sendRaw } from '../../support/raw-http.ts';
import { createWallet, signParams } from '../../support/world.ts';
import { placeOf, type Serving, serve } from './support/serving.ts';

const GET_DOCUMENT = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n';
const POST_UNSTAMPED =
  'POST /public/v1/query/whoami HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';
const LIMIT = 64;
const STATUS_LINE = /HTTP\/1\.1 (\d{3}) /g;
const STATUS_LINE_LENGTH = 'HTTP/1.1 200 '.length;

describe.each([1, 2])('D253: pipelined requests to a server with --workers %i', (workers) => {
  let installation: Installation;
  let serving: Serving;
  let address: string;

  beforeAll(async () => {
    installation = await engines.sqlite();
    serving = await serve(placeOf(installation), ['--workers', String(workers)]);
    address = (await createWallet(serving.root)).addresses[0] as string;
  });
  afterAll(async () => {
    await serving?.kill();
    await installation?.remove();
  });

  /** Sends everything in one write and reads nothing for a while, then all of it. Returns the status codes of the responses. */
  async function pipeline(request: string, count: number, readAfterMs: number): Promise<number[]> {
    const { hostname, port } = new URL(serving.url);
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const statuses: number[] = [];
    let tail = '';
    socket.pause();
    socket.write(request.repeat(count));
    await sleep(readAfterMs);
    socket.on('data', (chunk) => {
      const text = tail + chunk.toString('latin1');
      for (const [, status] of text.matchAll(STATUS_LINE)) statuses.push(Number(status));
      tail = text.slice(-STATUS_LINE_LENGTH + 1);
      if (statuses.length >= count) socket.end();
    });
    socket.resume();
    await closed;
    return statuses;
  }

  async function expectServing(): Promise<void> {
    expect((await sendRaw(serving.url, ['GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'])).status).toBe(200);
    expect((await serving.root.submit('signRawPayload', signParams(address))).status).toBe(200);
    expect(serving.isRunning()).toBe(true);
    expect(serving.stderr()).toBe('');
  }

  test.each([
    ['GET', GET_DOCUMENT, 200],
    ['POST', POST_UNSTAMPED, 401],
  ])('answers %s requests up to the limit in order, although they are read late', async (_, request, status) => {
    const statuses = await pipeline(request, LIMIT - 4, 700);
    expect(statuses).toEqual(Array.from({ length: LIMIT - 4 }, () => status));
    await expectServing();
  });

  test.each([
    ['GET', GET_DOCUMENT],
    ['POST', POST_UNSTAMPED],
  ])('closes a connection with more unanswered %s requests, and serves others', async (_, request) => {
    const floods = Array.from({ length: 10 }, () => pipeline(request, 2_000, 300));
    await expectServing();
    for (const statuses of await Promise.all(floods)) expect(statuses.length).toBeLessThan(2_000);
    await expectServing();
  });
});

import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { DeliveryError } from '../../../src/notify/delivery/delivery-error.ts';
import { createPoster, type Poster, retryAfter } from '../../../src/notify/webhooks/post-event.ts';
import { type LoopbackServer, serveHttp, serveTcp } from './loopback-server.ts';
import { egressAllowlistIn, type Names } from './names.ts';

const TIMEOUT_MS = 500;
const headers = { 'content-type': 'application/json', 'x-turnkey-event-id': 'e' };

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function posterTo(networks: readonly string[], names?: Names): Poster {
  const poster = createPoster(egressAllowlistIn(networks, names), TIMEOUT_MS);
  ends.push(() => poster.close());
  return poster;
}

async function started(server: Promise<LoopbackServer>): Promise<LoopbackServer> {
  const running = await server;
  ends.push(() => running.close());
  return running;
}

const http = (listener: RequestListener) => started(serveHttp(listener));
const tcp = (answer: (socket: Socket) => void) => started(serveTcp(answer));
const answering = (status: number, more: Record<string, string> = {}) =>
  http((_request, response) => void response.writeHead(status, more).end('answer'));

/** The outcome of one post: `taken`, `later` or `never`. */
async function outcome(poster: Poster, url: URL, body = '{}'): Promise<string> {
  try {
    await poster.post(url, headers, body);
    return 'taken';
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    return error.permanent ? 'never' : 'later';
  }
}

const loopback = ['127.0.0.1/32'];

describe('posting an event', () => {
  test('the request has the given content, byte for byte', async () => {
    const seen: { request: IncomingMessage; body: string }[] = [];
    const server = await http(async (request, response) => {
      seen.push({ request, body: await text(request) });
      response.end();
    });
    const body = JSON.stringify({ name: 'Ω \u2028 🖋' });
    await posterTo(loopback).post(server.url, headers, body);
    const [one] = seen;
    expect(one).toMatchObject({ body, request: { method: 'POST', url: '/hook?a=b' } });
    expect(one?.request.headers).toEqual({
      ...headers,
      host: `127.0.0.1:${server.port}`,
      connection: 'keep-alive',
      'content-length': String(Buffer.byteLength(body)),
    });
  });

  test.each([
    ...[200, 201, 202, 204, 299].map((status) => [status, 'taken'] as const),
    ...[300, 301, 302, 303, 304, 307, 308].map((status) => [status, 'never'] as const),
    ...[400, 401, 403, 404, 405, 410, 413, 422, 451].map((status) => [status, 'never'] as const),
    ...[408, 425, 429].map((status) => [status, 'later'] as const),
    ...[500, 501, 502, 503, 504, 599].map((status) => [status, 'later'] as const),
  ])('the answer %i: %s', async (status, expected) => {
    const server = await answering(status);
    expect(await outcome(posterTo(loopback), server.url)).toBe(expected);
    expect(server.connections()).toBe(1);
  });

  test.each([301, 302, 303, 307, 308])('D60: a redirect (%i) is not followed', async (status) => {
    const inside = await answering(200);
    const server = await answering(status, { location: inside.url.href });
    expect(await outcome(posterTo(loopback), server.url)).toBe('never');
    expect(inside.connections()).toBe(0);
  });

  test('D60: a name that was public at creation and is private at delivery is not connected to', async () => {
    const inside = await answering(200);
    const answers = [['93.184.216.34'], ['127.0.0.1']];
    let lookups = 0;
    const names = { 'turns.example.com': () => answers[Math.min(lookups++, 1)] as string[] };
    const url = new URL(`https://turns.example.com:${inside.port}/`);
    expect(await egressAllowlistIn([], names).problemNow(url)).toBeUndefined();
    expect(await outcome(posterTo([], names), url)).toBe('later');
    expect([lookups, inside.connections()]).toEqual([2, 0]);
  });

  test('D60: a name with one public and one private address is not connected to at all', async () => {
    const inside = await answering(200);
    const poster = posterTo([], { 'both.example.com': ['127.0.0.1', '93.184.216.34'] });
    expect(await outcome(poster, new URL(`https://both.example.com:${inside.port}/`))).toBe('later');
    expect(inside.connections()).toBe(0);
  });

  test('D60: a literal address is checked as well, also with plain http', async () => {
    const inside = await answering(200);
    const poster = posterTo(['127.0.0.2/32']);
    for (const host of ['http://127.0.0.1', 'https://127.0.0.1', 'https://[::ffff:127.0.0.1]', 'http://2130706433'])
      expect(await outcome(poster, new URL(`${host}:${inside.port}/`))).toBe('later');
    expect(inside.connections()).toBe(0);
  });

  test('a name in a listed network is connected to', async () => {
    const server = await answering(200);
    const poster = posterTo(loopback, { 'inside.example.com': ['127.0.0.1'] });
    expect(await outcome(poster, new URL(`http://inside.example.com:${server.port}/`))).toBe('taken');
    expect(server.connections()).toBe(1);
  });

  test('a connection is reused for the next event', async () => {
    const server = await answering(200);
    const poster = posterTo(loopback);
    for (let round = 0; round < 20; round++) expect(await outcome(poster, server.url)).toBe('taken');
    // The end of an answer may arrive after the next event starts. Then two connections take turns.
    expect(server.connections()).toBeLessThanOrEqual(2);
  });

  test('an unknown name and a closed port are retried later', async () => {
    const server = await answering(200);
    await server.close();
    expect(await outcome(posterTo(loopback), server.url)).toBe('later');
    expect(await outcome(posterTo(loopback), new URL('https://nowhere.example.com/'))).toBe('later');
  });

  test.each([
    ['never answers', () => undefined],
    ['never ends its headers', (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\nx: ')],
    ['only sends 102 Processing', (socket: Socket) => void socket.write('HTTP/1.1 102 Processing\r\n\r\n')],
    ['sends 102 Processing without end', (socket: Socket) => void socket.write('HTTP/1.1 102 Processing\r\n\r\n'.repeat(1_000))],
  ])('a receiver that %s is abandoned, and its connection closed', async (_what, answer) => {
    const server = await tcp(answer);
    expect(await outcome(posterTo(loopback), server.url)).toBe('later');
    await expect.poll(server.open).toBe(0);
  });

  test('an endless answer loses its connection before the next event is sent', async () => {
    const server = await tcp((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n'));
    const poster = posterTo(loopback);
    for (let round = 0; round < 2; round++) {
      expect(await outcome(poster, server.url)).toBe('taken');
      await expect.poll(server.open).toBe(0);
    }
    expect(server.connections()).toBe(2);
  });

  test('an unanswered look-up is abandoned', async () => {
    const poster = posterTo([], { 'slow.example.com': ['slow'] });
    expect(await outcome(poster, new URL('https://slow.example.com/'))).toBe('later');
  });

  test.each([
    ['closes without an answer', (socket: Socket) => void socket.destroy()],
    ['closes within its headers', (socket: Socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-')],
    ['does not speak HTTP', (socket: Socket) => void socket.end('220 smtp.example.com ESMTP\r\n')],
    ['sends headers without end', (socket: Socket) => void socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`)],
    [
      'changes the protocol',
      (socket: Socket) => void socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    ],
  ])('a receiver that %s has not accepted the event', async (_what, answer) => {
    const server = await tcp(answer);
    expect(await outcome(posterTo(loopback), server.url)).toBe('later');
  });

  test.each([
    [
      'closes in the middle of its answer',
      (socket: Socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc'),
    ],
    [
      'resets in the middle of its answer',
      (socket: Socket) => void resetAfter(socket, 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n'),
    ],
    ['never ends its answer', (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc')],
  ])('only the status counts: a receiver that %s has accepted the event', async (_what, answer) => {
    const server = await tcp(answer);
    expect(await outcome(posterTo(loopback), server.url)).toBe('taken');
    await expect.poll(server.open).toBe(0);
  });

  test('only a part of a huge answer is read, and its connection is closed', async () => {
    let sent = 0;
    const server = await http(async (_request, response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(64 * 1024);
      while (!response.destroyed && sent < 200e6) {
        sent += chunk.length;
        if (!response.write(chunk)) await drained(response);
      }
    });
    expect(await outcome(posterTo(loopback), server.url)).toBe('taken');
    await expect.poll(server.open).toBe(0);
    expect(sent).toBeLessThan(50e6);
  });

  test('D220: people of an organization read the same of a name that is unknown or private, and of a port that is closed or silent', async () => {
    const silent = await tcp(() => undefined);
    const closed = await serveTcp(() => undefined);
    await closed.close();
    const poster = posterTo(loopback, { 'inside.example': ['10.0.0.1'] });
    const urls = [silent.url, closed.url, new URL('https://inside.example/'), new URL('https://unknown.example/')];
    const faults = await Promise.all(urls.map((url) => poster.post(url, headers, '{}').catch((error: unknown) => error)));
    expect(faults.every((fault) => fault instanceof DeliveryError)).toBe(true);
    expect(new Set(faults.map((fault) => (fault as DeliveryError).reason)).size).toBe(1);
    expect(new Set(faults.map((fault) => (fault as DeliveryError).message)).size).toBeGreaterThan(1);
  });

  test('closing leaves no connection open', async () => {
    const server = await answering(200);
    const poster = posterTo(loopback);
    await poster.post(server.url, headers, '{}');
    expect(server.open()).toBe(1);
    poster.close();
    await expect.poll(server.open).toBe(0);
  });
});

/** Resolves when more can be written, or when the socket is closed. */
async function drained(response: ServerResponse): Promise<void> {
  const heard = new AbortController();
  await Promise.race(['drain', 'close'].map((event) => once(response, event, { signal: heard.signal }).catch(() => undefined)));
  heard.abort();
}

async function resetAfter(socket: Socket, words: string): Promise<void> {
  socket.write(words);
  await sleep(50);
  socket.resetAndDestroy();
}

test('a wait that the receiver asks for is read as seconds or as a date, and bounded', () => {
  const nowMs = Date.UTC(2026, 10, 16, 12);
  const day = 24 * 3_600_000;
  expect(retryAfter('120', nowMs)).toEqual({ retryAfterMs: 120_000 });
  expect(retryAfter('Mon, 16 Nov 2026 12:05:00 GMT', nowMs)).toEqual({ retryAfterMs: 300_000 });
  for (const long of ['999999999', 'Sat, 16 Nov 2030 12:00:00 GMT'])
    expect(retryAfter(long, nowMs)).toEqual({ retryAfterMs: day });
  for (const nothing of [undefined, '', '0', '-5', 'soon', '1e3', 'Mon, 16 Nov 2026 11:00:00 GMT'])
    expect(retryAfter(nothing, nowMs)).toEqual({});
});

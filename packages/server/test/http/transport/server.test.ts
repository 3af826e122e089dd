import { createHash } from 'node:crypto';
import { type IncomingMessage, ServerResponse } from 'node:http';
import { createConnection } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { readBody } from '../../../src/http/transport/messages.ts';
import { createHttpServer, type HttpServer } from '../../../src/http/transport/server.ts';
import { admissionWith } from '../../admission/support.ts';

const MAX_BODY_BYTES = 1_000_000;
const admission = admissionWith();
const show = (path: string, body: Uint8Array) => `${path} ${body.length} ${createHash('sha256').update(body).digest('hex')}`;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

let server: HttpServer;
let port = 0;

beforeAll(async () => {
  const answer = async (request: IncomingMessage) => {
    const admitted = admission.request(undefined, request.socket);
    const bytes = await readBody(request, MAX_BODY_BYTES, admitted);
    admitted.release();
    return `<${show(request.url ?? '', bytes)}>`;
  };
  server = createHttpServer(
    { host: '127.0.0.1', port: 0, requestTimeoutSeconds: 30, keepAliveSeconds: 72 },
    (request, response) =>
      void answer(request).then(
        (text) => response.end(text),
        () => response.destroy(),
      ),
  );
  port = await server.listen();
});

afterAll(() => server.close(0));

interface Sent {
  readonly body: Buffer;
  readonly way: 'plain' | 'chunked' | 'unusual' | 'expecting';
}

const body = fc
  .tuple(fc.constantFrom(1, 3, 100, 5_000, 70_000, 300_000), fc.nat(1_000))
  .map(([length, seed]) => Buffer.from(Array.from({ length }, (_, at) => (at * 31 + seed * 17 + (at >> 8)) & 255)));
const sent: fc.Arbitrary<Sent> = fc.record({ body, way: fc.constantFrom('plain', 'plain', 'chunked', 'unusual', 'expecting') });

/** The bytes of a request. */
function written({ body, way }: Sent, path: string): Buffer {
  const length = way === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`;
  const more = { plain: '', chunked: '', unusual: 'X-Unusual: 1\r\n', expecting: 'Expect: 100-continue\r\n' }[way];
  const head = Buffer.from(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${length}\r\n${more}\r\n`);
  if (way !== 'chunked') return Buffer.concat([head, body]);
  const half = body.length >> 1;
  const chunk = (part: Buffer) => Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]);
  const chunks = [body.subarray(0, half), body.subarray(half)].filter(({ length }) => length > 0).map(chunk);
  return Buffer.concat([head, ...chunks, Buffer.from('0\r\n\r\n')]);
}

/** Sends bytes in pieces, and gives what the server understood once it has answered as often as it must. */
async function understood(
  bytes: Buffer,
  cuts: readonly number[],
  pausesMs: readonly number[],
  answers: number,
): Promise<string[]> {
  const socket = createConnection({ host: '127.0.0.1', port, noDelay: true });
  let heard = '';
  let isOpen = true;
  socket.on('data', (chunk) => (heard += chunk.toString('latin1')));
  socket.on('error', () => (isOpen = false)).on('close', () => (isOpen = false));
  const places = [0, ...[...cuts].sort((a, b) => a - b), bytes.length];
  for (const [at, from] of places.slice(0, -1).entries()) {
    socket.write(bytes.subarray(from, places[at + 1]));
    const pauseMs = pausesMs[at % pausesMs.length] as number;
    if (pauseMs > 0) await pause(pauseMs);
  }
  const found = () => [...heard.matchAll(/<(.*?)>/g)].map(([, text = '']) => text);
  for (let tries = 0; tries < 1_000 && isOpen && found().length < answers; tries++) await pause(2);
  socket.destroy();
  return found();
}

describe('requests that arrive in pieces', () => {
  test('D14: neither loses nor repeats bytes, wherever requests are split', async () => {
    const talks = fc.sample(
      fc.record({
        requests: fc.array(sent, { minLength: 1, maxLength: 4 }),
        cuts: fc.array(fc.oneof(fc.nat(300), fc.nat(400_000)), { maxLength: 5 }),
        pausesMs: fc.array(fc.constantFrom(0, 0, 1, 3, 12), { minLength: 1, maxLength: 4 }),
      }),
      60,
    );
    const ask = async ({ requests, cuts, pausesMs }: (typeof talks)[number]) => {
      const bytes = Buffer.concat(requests.map((request, at) => written(request, `/request/${at}`)));
      const within = cuts.filter((cut) => cut < bytes.length);
      const expected = requests.map(({ body }, at) => show(`/request/${at}`, body));
      const got = await understood(bytes, within, pausesMs, requests.length);
      expect(got, JSON.stringify({ ways: requests.map(({ way, body }) => [way, body.length]), within, pausesMs })).toEqual(
        expected,
      );
    };
    for (let at = 0; at < talks.length; at += 10) await Promise.all(talks.slice(at, at + 10).map(ask));
  });

  test('D14: parses a request that is split at any byte', async () => {
    const bytes = written({ body: Buffer.from('{"a":1}'), way: 'plain' }, '/cut');
    const expected = show('/cut', Buffer.from('{"a":1}'));
    const all = Array.from({ length: bytes.length }, (_, at) => understood(bytes, [at], [at % 3], 1));
    for (const each of await Promise.all(all)) expect(each).toEqual([expected]);
  });

  test('answers a truncated request of a client that hung up', async () => {
    for (const at of [0, 1, 2]) {
      const socket = createConnection({ host: '127.0.0.1', port, allowHalfOpen: true });
      let heard = '';
      socket.on('data', (chunk) => (heard += chunk.toString('latin1')));
      socket.end('POST /x HTTP/1.1\r\nHost'.slice(0, 10 + at));
      await new Promise((resolve) => socket.on('end', resolve).on('close', resolve).on('error', resolve));
      expect(heard).toContain('HTTP/1.1 400');
      socket.destroy();
    }
  });
});

describe('D253: pipelined requests that Node would answer itself', () => {
  test.each([
    ['with an expectation', 'GET / HTTP/1.1\r\nHost: x\r\nExpect: more\r\n\r\n', 417],
    ['without a host', 'GET / HTTP/1.1\r\n\r\n', 400],
  ])('%s are answered once, and end the connection', async (_, request, status) => {
    const socket = createConnection({ host: '127.0.0.1', port, noDelay: true }).on('error', () => {});
    let heard = '';
    socket.on('data', (chunk) => (heard += chunk.toString('latin1')));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(request);
    await closed;
    expect(heard.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`]);
  });

  test.each([
    ['with an expectation', 'GET / HTTP/1.1\r\nHost: x\r\nExpect: more\r\n\r\n'],
    ['without a host', 'GET / HTTP/1.1\r\n\r\n'],
  ])('%s: one packet holds no more than 64 of them', async (_, request) => {
    const written = vi.spyOn(ServerResponse.prototype, 'writeHead');
    const socket = createConnection({ host: '127.0.0.1', port, noDelay: true }).on('error', () => {});
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.resume().write(request.repeat(500));
    await closed;
    expect(written.mock.calls.length).toBeLessThanOrEqual(64);
    written.mockRestore();
  });
});

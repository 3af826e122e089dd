import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { ServiceError } from '@countersign/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ByteBudget, createByteBudget } from '../../../src/admission/bodies.ts';
import { dialectsAt } from '../../../src/dialects/index.ts';
import { createCors } from '../../../src/http/api/cors.ts';
import { Listener, type ListenerServices } from '../../../src/http/api/listener.ts';
import { buildRoutes } from '../../../src/http/api/routes.ts';
import { createClientAddress } from '../../../src/http/transport/client-address.ts';
import { createHttpServer, type HttpServer } from '../../../src/http/transport/server.ts';
import { admissionWith } from '../../admission/support.ts';

const MAX_BODY_BYTES = 2_000;
const dialects = dialectsAt(false);
const routes = buildRoutes(dialects);
const [path = ''] = routes.keys();

/** The addresses of requests that were rejected before their bodies were read, and the delay of the responses. */
const rejected: string[] = [];
let delay: Promise<void> | undefined;

/** The listener of the service, with an operation that returns its input. */
function listener(responses?: ByteBudget, pages: ListenerServices['pages'] = new Map()) {
  return new Listener({
    clientHint: () => undefined,
    routes,
    dialects,
    signIn: { answers: new Map(), attestedLogin: () => Promise.reject(new Error('not used')) },
    async operate(route, headers, bytes, clientAddress) {
      const body = Buffer.from(bytes).toString('latin1');
      if (body.includes('refuse')) throw new ServiceError('REQUEST_INVALID', 'refused');
      if (body.includes('outage')) throw new ServiceError('UNAVAILABLE', 'no database');
      if (body.includes('wait')) throw new ServiceError('RATE_LIMIT_EXCEEDED', 'later', { retryAtMs: Date.now() + 1 });
      if (body.includes('long')) return { text: 'x'.repeat(10_000_000) };
      const { 'x-stamp': stamp = null, 'x-session': session = null } = headers;
      return { path: route.definition.path, stamp, session, body, text: 'ü', from: String(clientAddress()?.bits) };
    },
    clientAddress: createClientAddress(['127.0.0.0/8']),
    ownOriginPaths: new Set(),
    cors: createCors(['https://example.com']),
    metrics: { request() {} } as unknown as ListenerServices['metrics'],
    log: { info() {}, debug() {}, error() {}, warn() {} } as unknown as ListenerServices['log'],
    maxBodyBytes: MAX_BODY_BYTES,
    admission: admissionWith({
      tarpit(address) {
        rejected.push(address);
        return delay;
      },
      ...(responses && { responses }),
    }),
    pages,
    pageUnder: () => undefined,
    isDraining: () => false,
  });
}

const settings = { host: '127.0.0.1', port: 0, requestTimeoutSeconds: 30, keepAliveSeconds: 72 };
const servers: HttpServer[] = [];
let port = 0;

beforeAll(async () => {
  const server = createHttpServer(settings, listener().listen);
  servers.push(server);
  port = await server.listen();
});

afterAll(() => Promise.all(servers.map((server) => server.close(0))));

const open = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = createConnection({ host: '127.0.0.1', port, noDelay: true }, () => resolve(socket));
    socket.on('error', reject);
  });

/**
 * Sends pieces. Returns everything received until `quietMs` pass without data or it contains `end`, and whether the connection is still
 * open.
 */
async function converse(port: number, pieces: readonly string[], quietMs: number, end = '\0'): Promise<string> {
  const socket = await open(port);
  let heard = '';
  let fate = 'open';
  let last = performance.now();
  socket.on('error', () => (fate = 'closed'));
  socket.on('close', () => (fate = 'closed'));
  socket.on('end', () => (fate = 'closed'));
  socket.on('data', (chunk) => {
    heard += chunk.toString('latin1');
    last = performance.now();
  });
  for (const piece of pieces) {
    if (socket.writable) socket.write(piece, 'latin1');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  while (fate === 'open' && !heard.includes(end) && performance.now() - last < quietMs)
    await new Promise((resolve) => setTimeout(resolve, 5));
  socket.destroy();
  return `${heard}\n${fate}`;
}

const head = (lines: readonly string[], line = `POST ${path} HTTP/1.1`) => `${[line, ...lines].join('\r\n')}\r\n\r\n`;
const post = (body: string, ...more: readonly string[]) =>
  head(['Host: x', 'Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`, ...more]) + body;

test('D251: delays the response to a body that is not read, and no other response', async () => {
  rejected.length = 0;
  let goOn = () => {};
  delay = new Promise((resolve) => {
    goOn = resolve;
  });
  const from = 'X-Forwarded-For: 2001:db8::1';
  const tooLong = head(['Host: x', 'Content-Type: application/json', `Content-Length: ${MAX_BODY_BYTES + 1}`, from]);
  const socket = await open(port);
  let heard = '';
  socket.on('data', (chunk) => (heard += chunk.toString('latin1')));
  socket.write(`${tooLong}{`);
  while (rejected.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  expect(await converse(port, [post('{"a":"refuse"}', from, 'Connection: close')], 20_000)).toContain('400 Bad Request');
  expect([rejected, heard]).toEqual([['2001:db8::'], '']);
  goOn();
  await once(socket, 'close');
  delay = undefined;
  expect(heard).toContain('413 ');
});

test('D251: does not read the rest of a body while its rejection is delayed', async () => {
  rejected.length = 0;
  let goOn = () => {};
  delay = new Promise((resolve) => {
    goOn = resolve;
  });
  const socket = await open(port);
  const closed = new Promise((resolve) => socket.on('error', () => {}).once('close', resolve));
  // More than the operating system buffers for a server that does not read.
  const rest = Buffer.alloc(67_108_864, 'x');
  socket.write(head(['Host: x', 'Content-Type: application/json', 'Transfer-Encoding: chunked']));
  socket.write(`${rest.length.toString(16)}\r\n`);
  socket.write(rest);
  while (rejected.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  await Promise.race([once(socket, 'drain'), new Promise((resolve) => setTimeout(resolve, 1_000))]);
  expect(socket.writableLength).toBeGreaterThan(0);
  goOn();
  await closed;
  delay = undefined;
});

describe('D176: long responses that the client has not read', () => {
  test("count for the block of the client's address, also behind a proxy", async () => {
    const holders: string[] = [];
    const { listen } = listener({
      hold({ name }) {
        holders.push(name);
        return { add() {}, tryAdd: () => true, release() {} };
      },
      held: () => 0,
    });
    const server = createHttpServer(settings, listen);
    const port = await server.listen();
    for (const from of ['2001:db8::1', '2001:db8::2', '192.0.2.7']) {
      const lines = ['Host: x', 'Content-Type: application/json', 'Content-Length: 4', `X-Forwarded-For: ${from}`];
      const socket = await open(port);
      socket.write(`${head(lines)}long`);
      await once(socket, 'data');
      socket.destroy();
    }
    await server.close(0);
    expect(holders).toEqual(['2001:db8::', '2001:db8::', '192.0.2.7']);
  });

  test('D202: public pages count too, short ones and HEAD requests do not', async () => {
    const held: [string, number][] = [];
    const hold = ({ name }: { readonly name: string }) => ({
      add: (bytes: number) => void held.push([name, bytes]),
      tryAdd: () => true,
      release() {},
    });
    const page = (length: number) => async () => ({ status: 200, contentType: 'text/plain', body: Buffer.alloc(length, 'x') });
    const pages = new Map([
      ['/long', page(10_000_000)],
      ['/short', page(10)],
    ]);
    const { listen } = listener({ hold, held: () => 0 }, pages);
    const server = createHttpServer(settings, listen, {});
    const port = await server.listen();
    for (const start of ['GET /long', 'HEAD /long', 'GET /short']) {
      const socket = await open(port);
      socket.write(`${start} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.7\r\n\r\n`);
      await once(socket, 'data');
      socket.destroy();
    }
    await server.close(0);
    expect(held).toEqual([['192.0.2.7', 10_000_000]]);
  });
});

describe('D250: memory for responses that is used up', () => {
  const pathOf = (kind: string) => [...routes].find(([, route]) => route.kind === kind)?.[0] ?? '';
  const long = (kind: string, from: string) => {
    const lines = ['Host: x', 'Content-Type: application/json', 'Content-Length: 4', `X-Forwarded-For: ${from}`];
    return `${head(lines, `POST ${pathOf(kind)} HTTP/1.1`)}long`;
  };

  /** A server with memory for two and a half responses, and a client that does not read two of them. */
  async function serving(from: string) {
    const budget = createByteBudget(25_000_000);
    const server = createHttpServer(settings, listener(budget).listen);
    servers.push(server);
    const port = await server.listen();
    const silent = [await open(port), await open(port)];
    for (const socket of silent) {
      socket
        .pause()
        .on('error', () => {})
        .write(long('query', from));
    }
    while (budget.held() < 20_000_000) await new Promise((resolve) => setTimeout(resolve, 5));
    const leave = () => {
      for (const socket of silent) socket.destroy();
    };
    return { budget, port, leave };
  }

  test('rejects a query of the address that holds it, and serves the query of another', async () => {
    const { budget, port, leave } = await serving('192.0.2.1');
    const rejected = await converse(port, [long('query', '192.0.2.1')], 20_000, 'OVERLOADED');
    expect(rejected).toContain('503 Service Unavailable');
    expect(rejected).toContain('Retry-After: 1');
    expect(await converse(port, [long('query', '192.0.2.2')], 20_000, '"}')).toContain('200 OK');
    leave();
    while (budget.held() > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  test('never rejects a submit, which was executed', async () => {
    const { port, leave } = await serving('192.0.2.1');
    expect(await converse(port, [long('submit', '192.0.2.1')], 20_000, '"}')).toContain('200 OK');
    leave();
  });
});

describe('D168: responses that nobody reads', () => {
  let closed: Promise<unknown> | undefined;
  const budget = createByteBudget(1_000_000_000);
  const page = (length: number, before?: () => Promise<unknown> | undefined) => async () => {
    await before?.();
    return { status: 200, contentType: 'text/plain', body: Buffer.alloc(length, 'x') };
  };
  const pages = new Map([
    ['/long', page(10_000_000)],
    ['/short', page(60_000)],
    ['/late', page(10_000_000, () => closed)],
  ]);
  let own = 0;

  beforeAll(async () => {
    const server = createHttpServer(settings, listener(budget, pages).listen);
    servers.push(server);
    own = await server.listen();
  });

  async function ask(path: string, count: number): Promise<Socket> {
    const socket = await open(own);
    socket.pause();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(count));
    return socket;
  }

  test('those of a closed connection no longer count, also if they wait behind others', async () => {
    const socket = await ask('/long', 5);
    await expect.poll(() => budget.held()).toBe(50_000_000);
    socket.resetAndDestroy();
    await expect.poll(() => budget.held()).toBe(0);
  });

  test('one that is made after its connection closed does not count', async () => {
    let answered: Promise<void> | undefined;
    const { listen } = listener(budget, pages);
    const server = createHttpServer(settings, (request, response) => {
      closed = once(request.socket, 'close');
      answered = listen(request, response);
    });
    servers.push(server);
    const socket = await open(await server.listen());
    socket.write('GET /late HTTP/1.1\r\nHost: x\r\n\r\n');
    await expect.poll(() => answered !== undefined).toBe(true);
    socket.resetAndDestroy();
    await answered;
    expect(budget.held()).toBe(0);
  });

  test('short ones count if they wait behind others', async () => {
    const socket = await open(own);
    socket.pause();
    socket.write(['/long', '/short', '/short'].map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
    await expect.poll(() => budget.held()).toBe(10_120_000);
    socket.resetAndDestroy();
    await expect.poll(() => budget.held()).toBe(0);
  });
});

describe('D254: bodies that no operation reads', () => {
  const endless = 'Host: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n';

  test.each(['GET /page', 'POST /page', `OPTIONS ${path}`])(
    '%s ends its connection if the body is not complete',
    async (start) => {
      const pages = new Map([['/page', async () => ({ status: 200, contentType: 'text/plain', body: 'x' })]]);
      const server = createHttpServer(settings, listener(undefined, pages).listen);
      servers.push(server);
      const socket = await open(await server.listen());
      let heard = '';
      socket.on('data', (chunk) => (heard += chunk.toString('latin1')));
      socket.write(`${start} HTTP/1.1\r\n${endless}`);
      await once(socket, 'close');
      expect(heard).toMatch(/^HTTP\/1\.1 (200|204|405) /);
      expect(heard).toContain('Connection: close');
    },
  );

  test('an empty one leaves the connection open', async () => {
    const socket = await open(port);
    const request = `OPTIONS ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`;
    for (const _ of [1, 2]) {
      socket.write(request);
      const [chunk] = (await once(socket, 'data')) as [Buffer];
      expect(chunk.toString('latin1')).toContain('Connection: keep-alive');
    }
    socket.destroy();
  });
});

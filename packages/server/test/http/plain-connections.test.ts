import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { ServiceError } from '@countersign/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createByteBudget } from '../../src/admission/byte-budget.ts';
import { Intake } from '../../src/admission/read-throttle.ts';
import { SlowBodies } from '../../src/admission/slow-bodies.ts';
import { dialectsAt } from '../../src/dialects/index.ts';
import { createClientAddress } from '../../src/http/client-address.ts';
import { createCors } from '../../src/http/cors.ts';
import { createListener, type ListenerServices } from '../../src/http/listener.ts';
import { buildRoutes } from '../../src/http/routes.ts';
import { createHttpServer, type HttpServer } from '../../src/http/server.ts';
import { writeObject } from '../../src/wire/written-json.ts';

const MAX_BODY_BYTES = 2_000;
const dialects = dialectsAt(false);
const routes = buildRoutes(dialects);
const [path = ''] = routes.keys();

let plainAnswers = 0;
/** The addresses of requests that were refused before their bodies were read, and what their answers wait for. */
const refused: string[] = [];
let beforeRefusal: Promise<void> | undefined;

/** The listener of the service, in front of an operation that shows what reached it. */
function listener(answers = createByteBudget(1_000_000), pages: ListenerServices['pages'] = new Map()) {
  return createListener({
    clientHint: () => undefined,
    routes,
    dialects,
    relays: new Map(),
    async operate(route, headers, bytes, clientAddress) {
      const body = Buffer.from(bytes).toString('latin1');
      if (body.includes('refuse')) throw new ServiceError('REQUEST_INVALID', 'refused');
      if (body.includes('outage')) throw new ServiceError('UNAVAILABLE', 'no database');
      if (body.includes('wait')) throw new ServiceError('RATE_LIMIT_EXCEEDED', 'later', { retryAtMs: Date.now() + 1 });
      if (body.includes('long')) return { text: 'x'.repeat(10_000_000) };
      const { 'x-stamp': stamp = null, 'x-session': session = null } = headers;
      const shown = { path: route.definition.path, stamp, session, body, text: 'ü', from: String(clientAddress()?.bits) };
      return body.includes('written') ? writeObject({ shown: writeObject(shown) }) : shown;
    },
    clientAddress: createClientAddress(['127.0.0.0/8']),
    cors: createCors(['https://example.com']),
    metrics: { request() {} } as unknown as ListenerServices['metrics'],
    log: { debug() {}, error() {}, warn() {} } as unknown as ListenerServices['log'],
    arrive() {},
    bodies: {
      maxBodyBytes: MAX_BODY_BYTES,
      unfinished: createByteBudget(1_000_000),
      slow: new SlowBodies(),
      intake: new Intake(),
    },
    refusedUnread(address) {
      refused.push(address);
      return beforeRefusal;
    },
    answers,
    pages,
    pageUnder: () => undefined,
    isDraining: () => false,
  });
}

const settings = { host: '127.0.0.1', port: 0, requestTimeoutSeconds: 30, keepAliveSeconds: 72 };
const intake = new Intake();
const inTurn = (_: Socket, work: () => void) => intake.later('test', work);

const ports = { plain: 0, general: 0, handedOver: 0 };
const servers: HttpServer[] = [];

beforeAll(async () => {
  const { listen, answerPlain } = listener();
  const counted: typeof answerPlain = (...all) => {
    const answering = answerPlain(...all);
    if (answering !== undefined) plainAnswers++;
    return answering;
  };
  servers.push(createHttpServer(settings, listen, { plain: { answer: counted, maxBodyBytes: MAX_BODY_BYTES, inTurn } }));
  servers.push(createHttpServer(settings, listen));
  servers.push(createHttpServer(settings, listen, { plain: { answer: () => undefined, maxBodyBytes: MAX_BODY_BYTES, inTurn } }));
  [ports.plain = 0, ports.general = 0, ports.handedOver = 0] = await Promise.all(servers.map((server) => server.listen()));
});

afterAll(() => Promise.all(servers.map((server) => server.close(0))));

const open = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = createConnection({ host: '127.0.0.1', port, noDelay: true }, () => resolve(socket));
    socket.on('error', reject);
  });

/** Everything that comes back for some pieces, and whether the connection is still open. Waits until nothing has come for `quietMs`. */
async function converse(port: number, pieces: readonly string[], quietMs: number): Promise<string> {
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
  while (fate === 'open' && performance.now() - last < quietMs) await new Promise((resolve) => setTimeout(resolve, 5));
  socket.destroy();
  return `${withoutDates(heard)}\n${fate}`;
}

const withoutDates = (text: string) => text.replace(/^Date: .*\r\n/gm, '');

/**
 * The server under test and the other one are asked alike. A slow machine may take longer than the pause between two answers, so a
 * difference is asked for again.
 */
async function expectSame(pieces: readonly string[], other = ports.general): Promise<void> {
  const ask = (quietMs: number) => Promise.all([ports.plain, other].map((port) => converse(port, pieces, quietMs)));
  for (const quietMs of [60, 600]) {
    const [tested, known] = await ask(quietMs);
    if (tested === known) return;
  }
  const [tested, known] = await ask(2_000);
  expect(tested).toBe(known);
}

const head = (lines: readonly string[], line = `POST ${path} HTTP/1.1`) => `${[line, ...lines].join('\r\n')}\r\n\r\n`;
const plain = (body: string, ...more: readonly string[]) =>
  head(['Host: x', 'Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`, ...more]) + body;

describe('a server that answers plain requests itself', () => {
  test('answers them like node:http, byte for byte but for the date', async () => {
    const before = plainAnswers;
    for (const body of [
      '{}',
      '{"a":"refuse"}',
      '{"a":"wait"}',
      '{"a":"outage"}',
      '{"a":"written"}',
      ' '.repeat(MAX_BODY_BYTES),
    ]) {
      for (const more of [
        [],
        ['X-Stamp: abc'],
        ['X-Session: def', 'X-Forwarded-For: 192.0.2.1, 127.0.0.1'],
        ['X-Forwarded-For:'],
      ])
        await expectSame([plain(body, ...more)]);
    }
    // Of twenty-four. What arrives in parts, as on a busy machine, may go the other way.
    expect(plainAnswers - before).toBeGreaterThanOrEqual(10);
  });

  test('answers request after request on one connection', async () => {
    const socket = await open(ports.plain);
    let heard = '';
    socket.on('data', (chunk) => (heard += chunk.toString('latin1')));
    for (let i = 1; i <= 20; i++) {
      socket.write(plain(`{"i":${i}}`));
      while (heard.split('HTTP/1.1 200').length <= i) await new Promise((resolve) => setTimeout(resolve, 1));
      expect(heard).toContain(`{\\"i\\":${i}}`);
    }
    socket.destroy();
  });

  test('D14: hands over whatever is not plain, from its first byte', async () => {
    const body = '{"a":1}';
    const usual = ['Host: x', 'Content-Type: application/json'];
    const conversations: readonly (readonly string[])[] = [
      [plain(body) + plain('{"b":2}')],
      [plain(body), plain('{"b":2}')],
      [plain(body) + plain(body).slice(0, 30), plain(body).slice(30)],
      [plain(body).slice(0, 20), plain(body).slice(20)],
      [plain(body).slice(0, -3), plain(body).slice(-3)],
      [plain(body), `${head([...usual, 'Transfer-Encoding: chunked'])}2\r\n{}\r\n0\r\n\r\n`, plain(body)],
      [`${head([...usual, 'Transfer-Encoding: chunked', 'Content-Length: 5'])}0\r\n\r\n${plain(body)}`],
      [head([...usual, 'Content-Length: 7', 'Transfer-Encoding: chunked']) + body],
      [head([...usual, 'Content-Length: 7', 'Content-Length: 7']) + body],
      [head([...usual, 'Content-Length: 7', 'Content-Length: 8']) + body],
      [head([...usual, 'Content-Length: 3000']) + body],
      [head([...usual, 'Content-Length: 7', 'Expect: 100-continue']), body],
      [head([...usual, 'Content-Length: 7', 'Upgrade: h2c', 'Connection: upgrade']) + body],
      [plain(body, 'Connection: close')],
      [plain(body, 'Origin: https://example.com')],
      [head(['Content-Type: application/json', 'Content-Length: 7']) + body],
      [head(usual, `GET ${path} HTTP/1.1`)],
      [head([...usual, 'Content-Length: 7'], 'POST /nowhere HTTP/1.1') + body],
      [head([...usual, 'Content-Length: 7'], `POST ${path}?x HTTP/1.1`) + body],
      [head([...usual, 'Content-Length: 7'], `POST ${path} HTTP/1.0`) + body],
      ['not http at all\r\n\r\n'],
      [`\r\n\r\n${plain(body)}`],
      ['\x16\x03\x01\x02\x00'],
    ];
    for (const pieces of conversations) await expectSame(pieces);
  });

  test('D14: any mixture of requests, good and bad, is answered as node:http answers it', async () => {
    const line = fc.constantFrom(
      ...[
        `POST ${path} HTTP/1.1`,
        `POST ${path} HTTP/1.1`,
        `POST ${path} HTTP/1.1`,
        `POST ${path} HTTP/1.0`,
        `GET ${path} HTTP/1.1`,
      ],
      ...[`POST /${path} HTTP/1.1`, `POST ${path}  HTTP/1.1`, 'POST /x HTTP/1.1', `OPTIONS ${path} HTTP/1.1`],
    );
    const odd = fc.constantFrom(
      ...[
        'Transfer-Encoding: chunked',
        'Transfer-Encoding: identity',
        'Content-Length: 4',
        'Content-Length : 4',
        'Content-Length: +4',
      ],
      ...[
        'content-length: 0004',
        'Content-Length: 4, 4',
        'Connection: close',
        'Connection: Keep-Alive',
        'X-Stamp: a',
        'X-Stamp: b',
      ],
      ...['Host: other', ' folded', 'X-Other: 1', 'Expect: 100-continue', 'Content-Encoding: identity', 'Content-Encoding: gzip'],
      ...[
        'Origin: https://example.com',
        'Accept-Language: \xe9',
        'X-Session: \t s ',
        'Content-Type: text/plain',
        'X\0: 1',
        ': 1',
        'User-Agent:',
      ],
    );
    const one = fc
      .tuple(
        line,
        fc.array(odd, { maxLength: 2 }),
        fc.constantFrom('{}', '{"a":1}', '{"a":"refuse"}', ''),
        fc.integer({ min: -1, max: 1 }),
      )
      .map(([first, more, body, off]) => {
        const length = Math.max(0, body.length + (off === 0 ? 0 : off));
        return head(['Host: x', 'Content-Type: application/json', `Content-Length: ${length}`, ...more], first) + body;
      });
    const talk = fc
      .tuple(fc.array(one, { minLength: 1, maxLength: 3 }), fc.boolean(), fc.array(fc.nat(400), { maxLength: 2 }))
      .map(([requests, together, cuts]) => {
        const pieces = together ? [requests.join('')] : requests;
        return pieces.flatMap((piece) => {
          const places = [...new Set(cuts.filter((cut) => cut > 0 && cut < piece.length))].sort((a, b) => a - b);
          return [0, ...places].map((from, index) => piece.slice(from, places[index]));
        });
      });
    const talks = fc.sample(talk, 200);
    for (let at = 0; at < talks.length; at += 10) {
      // The other server hands everything over. node:http answers a request before or after it finds that the bytes behind it are no
      // request, depending on who gives it the bytes: so both get them in the same way.
      await Promise.all(talks.slice(at, at + 10).map((pieces) => expectSame(pieces, ports.handedOver)));
    }
  });

  test('who hangs up before the answer breaks nothing', async () => {
    for (let i = 0; i < 20; i++) {
      const socket = await open(ports.plain);
      socket.write(plain('{}'));
      if (i % 2 === 0) socket.destroy();
      else socket.end();
    }
    await expectSame([plain('{}')]);
  });

  test('stops: idle connections end, and a request that is under way is answered', async () => {
    let answerNow = () => {};
    const waiting = new Promise<void>((resolve) => (answerNow = resolve));
    const { listen } = listener();
    let asked = () => {};
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const answer = async () => {
      asked();
      await waiting;
      return { status: 200, json: '{"late":true}' };
    };
    const server = createHttpServer(settings, listen, { plain: { maxBodyBytes: MAX_BODY_BYTES, answer, inTurn } });
    const port = await server.listen();
    const [idle, busy] = [await open(port), await open(port)];
    const idleEnded = new Promise((resolve) => idle.on('close', resolve));
    idle.on('error', () => {}).resume();
    let heard = '';
    busy.on('data', (chunk) => (heard += chunk.toString('latin1')));
    const busyEnded = new Promise((resolve) => busy.on('close', resolve));
    busy.write(plain('{}'));
    await isAsked;
    const closed = server.close(10_000);
    await idleEnded;
    answerNow();
    await Promise.all([busyEnded, closed]);
    expect(heard).toContain('Connection: close');
    expect(heard).toContain('{"late":true}');
  });
});

test('D251: the answer to a body that is not read waits for what it is told to, and others wait for nothing', async () => {
  refused.length = 0;
  let goOn = () => {};
  beforeRefusal = new Promise((resolve) => {
    goOn = resolve;
  });
  const from = 'X-Forwarded-For: 2001:db8::1';
  const tooLong = head(['Host: x', 'Content-Type: application/json', `Content-Length: ${MAX_BODY_BYTES + 1}`, from]);
  const socket = await open(ports.plain);
  let heard = '';
  socket.on('data', (chunk) => (heard += chunk.toString('latin1')));
  socket.write(`${tooLong}{`);
  while (refused.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  expect(await converse(ports.plain, [plain('{"a":"refuse"}', from)], 60)).toContain('400 Bad Request');
  expect([refused, heard]).toEqual([['2001:db8::'], '']);
  goOn();
  await once(socket, 'close');
  beforeRefusal = undefined;
  expect(heard).toContain('413 ');
});

test('D251: what is left of a body is not read while its refusal waits', async () => {
  refused.length = 0;
  let goOn = () => {};
  beforeRefusal = new Promise((resolve) => {
    goOn = resolve;
  });
  const socket = await open(ports.plain);
  const closed = new Promise((resolve) => socket.on('error', () => {}).once('close', resolve));
  // More than all that the system takes from a client whose server does not read.
  const rest = Buffer.alloc(67_108_864, 'x');
  socket.write(head(['Host: x', 'Content-Type: application/json', 'Transfer-Encoding: chunked']));
  socket.write(`${rest.length.toString(16)}\r\n`);
  socket.write(rest);
  while (refused.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  await Promise.race([once(socket, 'drain'), new Promise((resolve) => setTimeout(resolve, 1_000))]);
  expect(socket.writableLength).toBeGreaterThan(0);
  goOn();
  await closed;
  beforeRefusal = undefined;
});

describe('D176: long answers that are not taken yet', () => {
  test.each(['plain', 'general'] as const)(
    "count for the block of the client's address, also behind a proxy (%s)",
    async (way) => {
      const holders: string[] = [];
      const { listen, answerPlain } = listener({
        hold(address) {
          holders.push(address);
          return { add() {}, release() {} };
        },
        held: () => 0,
      });
      const plain = { answer: answerPlain, maxBodyBytes: MAX_BODY_BYTES, inTurn };
      const server = createHttpServer(settings, listen, way === 'plain' ? { plain } : {});
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
    },
  );

  test('D202: pages that anybody may read count too, and short ones and those without content do not', async () => {
    const held: [string, number][] = [];
    const hold = (address: string) => ({ add: (bytes: number) => void held.push([address, bytes]), release() {} });
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

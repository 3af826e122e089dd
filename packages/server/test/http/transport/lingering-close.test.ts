import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createHttpServer, type HttpServer } from '../../../src/http/transport/server.ts';

const BODY = 'x'.repeat(20_000);
/** Together more than the operating system of a client takes without being read. */
const BATCHES = 5;
const BATCH = 20;
/** Longer than any client has for the bytes that an operating system holds. */
const PATIENCE_MS = 300_000;

let server: HttpServer;
let port = 0;
/** Connections as the server sees them, by the port of the client. */
const accepted = new Map<number, Socket>();
let answered = 0;

beforeAll(async () => {
  server = createHttpServer(
    { host: '127.0.0.1', port: 0, requestTimeoutSeconds: 600, keepAliveSeconds: 1 },
    (request, response) => {
      accepted.set(request.socket.remotePort as number, request.socket);
      answered += 1;
      response.end(request.url === '/short' ? 'short' : BODY);
    },
  );
  port = await server.listen();
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(() => server.close(0));

/** A client, what the server sees of it, and how its connection ends. */
async function open() {
  const client = connect(port, '127.0.0.1');
  let received = 0;
  client.on('data', (chunk) => (received += chunk.length)).pause();
  const ending = new Promise<string>((resolve) => {
    client.once('error', ({ message }) => resolve(message)).once('end', () => resolve('end'));
  });
  await once(client, 'connect');
  const { localPort } = client;
  const served = () => accepted.get(localPort as number) as Socket;
  return { client, served, ending, received: () => received };
}

/** Timers are not real in some tests. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

const lines = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;

/** Sends requests and waits until the server has answered them. */
async function ask(client: Socket, text: string, count: number): Promise<void> {
  const before = answered;
  client.write(text.repeat(count));
  while (answered < before + count) await nextTurn();
}

const until = async (isDone: () => boolean) => {
  while (!isDone()) await nextTurn();
};

/** Lets the time pass that clients have, for the timers of the service alone. */
function fakeTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
}

describe('D344: clients that do not read', () => {
  test.each([
    ['after the idle time', ''],
    ['after its last response', 'Connection: close\r\n'],
  ])('the operating system keeps nothing for a connection that is closed %s', async (_, more) => {
    const { client, served, ending, received } = await open();
    for (let batch = 0; batch < BATCHES; batch++) await ask(client, lines('/'), BATCH);
    fakeTime();
    client.write(lines('/', more));
    await vi.waitFor(() => expect(served().writableFinished).toBe(true), { timeout: 20_000 });
    expect(served().destroyed).toBe(false);
    vi.advanceTimersByTime(PATIENCE_MS);
    await until(() => served().destroyed);
    // The rest was dropped.
    client.resume();
    await ending;
    expect(received()).toBeLessThan(BATCHES * BATCH * BODY.length);
  });

  test('a client that reads late gets everything, and a clean end', async () => {
    const { client, served, ending, received } = await open();
    for (let batch = 0; batch < BATCHES; batch++) await ask(client, lines('/'), BATCH);
    client.write(lines('/', 'Connection: close\r\n'));
    await until(() => served().writableFinished);
    client.resume();
    expect(await ending).toBe('end');
    expect(received()).toBeGreaterThan((BATCHES * BATCH + 1) * BODY.length);
    await until(() => served().destroyed);
  });

  test('every response has a deadline until the operating system has it, also behind others on the connection', async () => {
    fakeTime();
    const { client, served } = await open();
    await ask(client, lines('/short'), 10);
    while (served().writableLength === 0) await ask(client, lines('/'), 1);
    client.write(lines('/short').repeat(10));
    vi.advanceTimersByTime(5_000);
    expect(served().destroyed).toBe(false);
    vi.advanceTimersByTime(PATIENCE_MS);
    await until(() => served().destroyed);
    client.destroy();
  });

  test('a connection that waits for its next request stays open while others are reset', async () => {
    const [idle, other] = [await open(), await open()];
    for (const { client } of [idle, other]) {
      client.resume();
      await ask(client, lines('/short'), 1);
    }
    await ask(idle.client, lines('/short'), 1);
    expect(idle.served().destroyed).toBe(false);
    expect(await idle.ending).toBe('end');
  });

  test('a request after the end of a connection is not executed', async () => {
    const { client, served, ending } = await open();
    await ask(client, lines('/short', 'Connection: close\r\n'), 1);
    await until(() => served().writableEnded);
    const before = answered;
    client.write(lines('/short'));
    await until(() => served().destroyed);
    expect(answered).toBe(before);
    client.resume();
    await ending;
  });
});

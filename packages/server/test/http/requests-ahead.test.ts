import { createConnection } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createHttpServer, type HttpServer } from '../../src/http/server.ts';

const settings = { host: '127.0.0.1', port: 0, requestTimeoutSeconds: 30, keepAliveSeconds: 72 };
const get = 'GET /x HTTP/1.1\r\nHost: x\r\n\r\n';

let server: HttpServer;

afterEach(() => server.close(0));

/** Sends requests in one go to a server that answers in the next turn, and tells how many it has begun and what came back. */
async function sendTogether(count: number): Promise<{ readonly begun: number; readonly answers: number }> {
  let begun = 0;
  server = createHttpServer(settings, (_, response) => {
    begun += 1;
    setImmediate(() => response.end('.'));
  });
  const port = await server.listen();
  const last = `${get.slice(0, -2)}Connection: close\r\n\r\n`;
  return new Promise((resolve) => {
    let heard = '';
    const socket = createConnection({ host: '127.0.0.1', port });
    socket.write(get.repeat(count - 1) + last);
    socket.on('data', (chunk) => (heard += chunk.toString('latin1')));
    socket.on('error', () => {});
    socket.on('close', () => resolve({ begun, answers: heard.split('HTTP/1.1 200').length - 1 }));
  });
}

test('D253: requests that come in one go are answered one after the other', async () => {
  expect(await sendTogether(64)).toEqual({ begun: 64, answers: 64 });
});

test('D253: a connection with too many of them ends, and no more are begun', async () => {
  expect((await sendTogether(2_000)).begun).toBe(64);
});

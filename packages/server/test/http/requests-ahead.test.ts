import type { ServerResponse } from 'node:http';
import { createConnection } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createHttpServer, type HttpServer } from '../../src/http/server.ts';

const settings = { host: '127.0.0.1', port: 0, requestTimeoutSeconds: 30, keepAliveSeconds: 72 };

let server: HttpServer;

afterEach(() => server.close(0));

/** Sends requests in one go, and tells how many were under way at a time, in how many turns they began, and what came back. */
async function sendTogether(count: number, answer: (response: ServerResponse) => void, before = '') {
  let [underWay, most] = [0, 0];
  const turns: number[] = [];
  let turn = 0;
  const nextTurn = () => {
    turn += 1;
    timer = setImmediate(nextTurn);
  };
  let timer = setImmediate(nextTurn);
  server = createHttpServer(settings, (request, response) => {
    const { url } = request.resume();
    most = Math.max(most, ++underWay);
    turns[turn] = (turns[turn] ?? 0) + 1;
    response.once('close', () => underWay--);
    response.setHeader('X-Number', url?.slice(1) || '0');
    answer(response);
  });
  const port = await server.listen();
  const requests = Array.from({ length: count }, (_, number) => `GET /${number} HTTP/1.1\r\nHost: x\r\n`);
  const heard = await new Promise<string>((resolve) => {
    let text = '';
    const socket = createConnection({ host: '127.0.0.1', port });
    socket.write(`${before}${requests.join('\r\n')}Connection: close\r\n\r\n`);
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
  clearImmediate(timer);
  const numbers = [...heard.matchAll(/X-Number: (\d+)/g)].map(([, number]) => Number(number));
  return { numbers, most, mostInTurn: Math.max(...turns.filter((each) => each > 0)) };
}

const inOrder = (count: number) => Array.from({ length: count }, (_, number) => number);

describe('D253: requests that come in one go', () => {
  test.each([
    ['at once', (response: ServerResponse) => void response.end('.')],
    ['in the next turn', (response: ServerResponse) => void setImmediate(() => response.end('.'))],
    ['in any order', (response: ServerResponse) => void setTimeout(() => response.end('.'), Math.random() * 3)],
    ['with much', (response: ServerResponse) => void response.end('x'.repeat(20_000))],
  ])('are all answered in their order, and few are under way at a time: answered %s', async (_, answer) => {
    const { numbers, most, mostInTurn } = await sendTogether(2_000, answer);
    expect(numbers).toEqual(inOrder(2_000));
    expect(most).toBeLessThan(64);
    expect(mostInTurn).toBeLessThan(64);
  });

  test('and bodies between them reach whom they are for, whether somebody reads them or not', async () => {
    server = createHttpServer(settings, async (request, response) => {
      if (request.url === '/unread') return void response.end('0;');
      let length = 0;
      for await (const chunk of request) {
        length += (chunk as Buffer).length;
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end(`${length};`);
    });
    const port = await server.listen();
    const lengths = Array.from({ length: 120 }, (_, index) => (index % 7 === 0 ? 300_000 : index));
    const socket = createConnection({ host: '127.0.0.1', port });
    let heard = '';
    const closed = new Promise((resolve) =>
      socket.on('data', (chunk) => (heard += chunk.toString('latin1'))).on('close', resolve),
    );
    for (const [index, length] of lengths.entries()) {
      const path = index % 5 === 0 ? '/unread' : '/read';
      const last = index === lengths.length - 1 ? '\r\nConnection: close' : '';
      socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}${last}\r\n\r\n${'b'.repeat(length)}`);
    }
    await closed;
    const answers = [...heard.matchAll(/\r\n\r\n(\d+);/g)].map(([, length]) => Number(length));
    expect(answers).toEqual(lengths.map((length, index) => (index % 5 === 0 ? 0 : length)));
  });

  test('a long body comes in long parts all the same', async () => {
    let parts = 0;
    server = createHttpServer(settings, (request, response) => {
      request.on('data', () => parts++);
      request.on('end', () => response.end());
    });
    const port = await server.listen();
    const body = Buffer.alloc(4_000_000, 'b');
    await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body });
    // Each reading brings up to 65,536 bytes; the system may give less at a time, but not as little as a short part.
    expect(parts).toBeLessThan(body.length / 1_024 / 4);
  });

  test('requests behind a long body begin a few at a time', async () => {
    const body = 'b'.repeat(200_000);
    const long = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const { most, numbers } = await sendTogether(2_000, (response) => void setImmediate(() => response.end('.')), long);
    expect([numbers.length, most < 64]).toEqual([2_001, true]);
  });
});

import { once } from 'node:events';
import { createServer as createHttp } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDataDirectory } from '../../../../test/support/data-directory.ts';
import { selfSigned } from '../../../../test/support/self-signed.ts';
import type { UsedTls } from '../../src/http/transport/tls.ts';
import { startEdge } from '../../src/isolation/edge.ts';
import { type Frame, FrameReader, FrameWriter } from '../../src/isolation/frames.ts';
import { fromCore, fromEdge, readRequestText, responseText } from '../../src/isolation/protocol.ts';

const settings = {
  requestTimeoutSeconds: 30,
  keepAliveSeconds: 5,
  maxUntakenAnswerBytes: 1_000_000,
  webhookNetworks: ['127.0.0.0/8'],
  pushNetworks: [],
  handshakes: { handshakesPerAddress: 1, maxQueueMs: 1_500, trustedProxies: [] },
};

/** A real edge in this process, and the core's end of its pipe in the hands of the test. */
describe('an edge', () => {
  let core: FrameWriter;
  let url: string;
  let pipe: Socket;
  const ports = createServer({ pauseOnConnect: true, allowHalfOpen: true });
  const pipes = createServer();
  const frames: Frame[] = [];
  let answer: (frame: Frame) => void = () => {};

  beforeAll(async () => {
    const path = join(makeDataDirectory('pipe'), 'pipe');
    pipes.listen(path);
    await once(pipes, 'listening');
    const accepted = once(pipes, 'connection');
    const edge = startEdge(settings, connect(path));
    [pipe] = (await accepted) as [Socket];
    core = new FrameWriter(pipe);
    const reader = new FrameReader(1e9, (frame) => {
      frames.push(frame);
      answer(frame);
    });
    pipe.on('data', (chunk: Buffer) => reader.push(chunk));
    ports.on('connection', edge.take).listen(0, '127.0.0.1');
    await once(ports, 'listening');
    url = `http://127.0.0.1:${(ports.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    pipe.destroy();
    ports.close();
    pipes.close();
  });

  const respond = (id: number, status: number, body = '') =>
    core.write(fromCore.response, id, responseText({ status, holder: '', headers: { 'Content-Length': body.length } }), body);

  test('passes a request on in one frame, and its response back', async () => {
    answer = ({ kind, id, text: head, bytes }) => {
      if (kind !== fromEdge.request) return;
      expect(readRequestText(head)).toMatchObject({ isComplete: true, method: 'POST', url: '/a?b', headers: { 'x-stamp': 's' } });
      respond(id, 201, `you sent ${bytes}`);
    };
    const response = await fetch(`${url}/a?b`, { method: 'POST', body: 'some bytes', headers: { 'x-stamp': 's' } });
    expect([response.status, await response.text()]).toEqual([201, 'you sent some bytes']);
    expect(frames.map(({ kind }) => kind)).toEqual([fromEdge.opened, fromEdge.request]);
  });

  test('D585: sends a long body part by part, and the next part after the core took the last', async () => {
    const body = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
    const parts: Buffer[] = [];
    answer = ({ kind, id, bytes }) => {
      if (kind === fromEdge.request || kind === fromEdge.body) {
        parts.push(Buffer.from(bytes));
        setTimeout(() => core.write(fromCore.bodyTaken, id), 1);
      }
      if (kind === fromEdge.bodyEnd) respond(id, 200, 'all');
    };
    const response = await fetch(url, { method: 'POST', body });
    expect(await response.text()).toBe('all');
    expect(Buffer.concat(parts).equals(body)).toBe(true);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(65_536);
  });

  test('ends a connection when the core says so, and tells the core when one has ended', async () => {
    answer = ({ kind, id, text: head }) => {
      if (kind === fromEdge.request) core.write(fromCore.reset, readRequestText(head).connectionId);
      if (kind === fromEdge.closed) frames.push({ kind: -1, id, text: '', bytes: Buffer.alloc(0) });
    };
    await expect(fetch(url, { method: 'POST', body: 'x' })).rejects.toThrow();
    await expect.poll(() => frames.some(({ kind }) => kind === -1)).toBe(true);
  });

  test('D588: posts what the core has signed, only to addresses that are allowed, and reports the status', async () => {
    const received: string[] = [];
    const receiver = createHttp(async (request, response) => {
      received.push(`${request.headers['x-signature']} ${await text(request)}`);
      response.writeHead(received.length === 1 ? 204 : 410).end();
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo;
    const posted = new Map<number, unknown>();
    answer = ({ kind, id, text: result }) => kind === fromEdge.posted && posted.set(id, JSON.parse(result));
    const post = (id: number, egress: string) =>
      core.write(
        fromCore.post,
        id,
        JSON.stringify({ egress, url: `http://127.0.0.1:${port}/hook`, headers: { 'x-signature': 'signed' } }),
        'an event',
      );
    post(1, 'webhooks');
    await expect.poll(() => posted.has(1)).toBe(true);
    post(2, 'webhooks');
    // Push messages may not go to this network.
    post(3, 'push');
    await expect.poll(() => posted.size).toBe(3);
    receiver.close();
    expect(received).toEqual(['signed an event', 'signed an event']);
    expect(posted.get(1)).toEqual({});
    expect(posted.get(2)).toMatchObject({ failure: { permanent: true, answer: { status: 410 } } });
    expect(posted.get(3)).toMatchObject({ failure: { permanent: false } });
  });
});

test('D597: an edge bounds the TLS handshakes of one address', async () => {
  const path = join(makeDataDirectory('pipe'), 'pipe');
  const pipes = createServer((pipe) => pipe.resume()).listen(path);
  await once(pipes, 'listening');
  const { cert, key } = selfSigned();
  const tls = { files: { cert, key }, settings: { tlsMinVersion: '1.2', tlsClientAuth: 'off' } } as unknown as UsedTls;
  const pipe = connect(path);
  const edge = startEdge({ ...settings, tls }, pipe);
  const ports = createServer({ pauseOnConnect: true, allowHalfOpen: true }, edge.take).listen(0, '127.0.0.1');
  await once(ports, 'listening');
  const { port } = ports.address() as AddressInfo;
  const handshake = () =>
    new Promise<boolean>((resolve) => {
      const socket = connectTls({ host: '127.0.0.1', port, ca: cert, servername: 'localhost' }, () => resolve(true));
      socket.on('error', () => resolve(false)).on('secureConnect', () => socket.destroy());
    });
  const done: boolean[] = [];
  for (let count = 0; count < 12; count++) done.push(await handshake());
  // The rate, with a burst of five times that.
  expect(done.slice(0, 5)).toEqual(Array(5).fill(true));
  expect(done).toContain(false);
  pipe.destroy();
  ports.close();
  pipes.close();
});

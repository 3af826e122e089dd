import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startRouter } from '../../../packages/server/src/commands/start-router.ts';
import { createRouter } from '../../../packages/server/src/router/router.ts';

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

const ok: Respond = (request, response) => void request.resume().on('end', () => response.end('ok'));

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A router with its log lines, for one shard. */
async function routerTo(shard: string, maxHeldBytes?: number): Promise<{ readonly url: string; readonly lines: object[] }> {
  const lines: object[] = [];
  const note = (fields: object) => void lines.push(fields);
  const router = createRouter(
    { addresses: new Map([[0, new URL(shard)]]), maxBodyBytes: 65_536, ...(maxHeldBytes !== undefined && { maxHeldBytes }) },
    { warn: note, error: note } as unknown as Parameters<typeof createRouter>[1],
  );
  onTestFinished(router.close);
  return { url: await listening(createServer(router.respond)), lines };
}

function post(url: string, path: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(`${url}${path}`, { method: 'POST', agent: false, headers: { 'x-stamp': 'a' } }, (response) =>
      resolve(response.resume().statusCode ?? 0),
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** An open connection from this address, with the text that it received. */
async function open(url: string, localAddress: string): Promise<{ readonly socket: Socket; text(): string }> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), localAddress });
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return { socket, text: () => text };
}

const unfinished = (bytes: number) =>
  `POST /a HTTP/1.1\r\nHost: a\r\nX-Stamp: a\r\nContent-Length: ${bytes + 1}\r\n\r\n${'y'.repeat(bytes)}`;

describe('a router in a flood', () => {
  test('D640: a request is not sent again for a client that has gone, and does not count as an absent shard', async () => {
    const seen: string[] = [];
    let arrived: (request: IncomingMessage) => void = () => {};
    const held = new Promise<IncomingMessage>((resolve) => {
      arrived = resolve;
    });
    const shard = await listening(
      createServer((request, response) => {
        seen.push(request.url ?? '');
        if (request.url === '/held') arrived(request);
        else ok(request, response);
      }),
    );
    const { url, lines } = await routerTo(shard);
    // The connection to the shard is used again, so that its end could mean that the shard never read the request.
    expect(await post(url, '/first', '{}')).toBe(200);
    await sleep(50);
    const { socket } = await open(url, '127.0.0.1');
    socket.write('POST /held HTTP/1.1\r\nHost: a\r\nX-Stamp: a\r\nContent-Length: 2\r\n\r\n{}');
    const atShard = await held;
    socket.resetAndDestroy();
    await once(atShard.socket, 'close');
    expect(await post(url, '/last', '{}')).toBe(200);
    expect(seen).toEqual(['/first', '/held', '/last']);
    expect(lines).toEqual([]);
  });

  test('D641: one address that fills the memory with unfinished bodies loses them, and others are served', async () => {
    const shard = await listening(createServer(ok));
    const { url } = await routerTo(shard, 160_000);
    const flood = await Promise.all(['127.0.0.2', '127.0.0.2', '127.0.0.2'].map((address) => open(url, address)));
    for (const { socket } of flood) socket.write(unfinished(45_000));
    await sleep(100);
    expect(flood.map(({ text }) => text())).toEqual(['', '', '']);
    expect(await post(url, '/a', 'y'.repeat(60_000))).toBe(200);
    const refused = () => flood.filter(({ text }) => text().startsWith('HTTP/1.1 503')).length;
    await expect.poll(refused).toBe(1);
  });

  test('D642: requests to an absent shard write one line in a second, with their number', async () => {
    const { url, lines } = await routerTo('http://127.0.0.1:1');
    const statuses = await Promise.all(Array.from({ length: 20 }, () => post(url, '/a', '{}')));
    expect(new Set(statuses)).toEqual(new Set([503]));
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.length).toBeLessThan(20);
    await sleep(1_100);
    await post(url, '/a', '{}');
    const counted = lines.map((line) => (line as { requests: number }).requests);
    expect(counted.reduce((sum, each) => sum + each, 0)).toBe(21);
  });

  test('D643: one address that opens all connections loses some, and others connect', async () => {
    const shard = await listening(createServer(ok));
    const router = await startRouter({
      host: '127.0.0.1',
      port: 0,
      logLevel: 'silent',
      maxBodyBytes: 65_536,
      shards: [`0=${shard}`],
      maxConnections: 5,
    });
    onTestFinished(router.close);
    const flood: Awaited<ReturnType<typeof open>>[] = [];
    for (let at = 0; at < 5; at++) flood.push(await open(router.url, '127.0.0.2'));
    const ended = new Promise((resolve) => flood[0]?.socket.once('close', resolve));
    expect(await post(router.url, '/a', '{}')).toBe(200);
    await ended;
  });
});

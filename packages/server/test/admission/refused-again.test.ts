import { createConnection } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { createNewcomers } from '../../src/admission/accept-burst.ts';
import { createLateRefusals } from '../../src/admission/tarpit.ts';
import { createHttpServer, type HttpServer } from '../../src/http/server.ts';

function count(times: number, isSo: () => boolean): number {
  return Array.from({ length: times }, isSo).filter(Boolean).length;
}

describe('D244: whose connections others wait for', () => {
  test('a pool that opens all its connections, and then a few in each second', () => {
    const clock = { nowMs: 0 };
    const isNewcomer = createNewcomers(() => clock.nowMs);
    expect(count(1_000, () => isNewcomer('attacker'))).toBe(300);
    expect(count(128, () => isNewcomer('customer'))).toBe(128);
    clock.nowMs += 1_000;
    expect(count(1_000, () => isNewcomer('attacker'))).toBe(20);
  });

  test('a server asks with each connection whether what is ready waits for it', async () => {
    const asked: (string | undefined)[] = [];
    const server = createHttpServer(settings, () => {}, {
      plain: {
        maxBodyBytes: 10,
        inTurn: (_, work) => work(),
        answer: async () => ({ status: 200, json: '{}' }),
        arrived(socket) {
          asked.push(socket.remoteAddress);
          return false;
        },
      },
    });
    servers.push(server);
    const port = await server.listen();
    const lines = ['POST / HTTP/1.1', 'Host: x', 'Content-Type: application/json', 'Content-Length: 2', '', '{}'];
    expect(await firstLine(port, lines.join('\r\n'))).toBe('HTTP/1.1 200 OK');
    expect(asked).toEqual(['127.0.0.1']);
  });
});

describe('D251: requests that are refused before their bodies are read', () => {
  test('are answered at once, until an address has too many of them', async () => {
    const clock = { nowMs: 0 };
    const waits: number[] = [];
    const late = createLateRefusals(
      () => clock.nowMs,
      async (ms) => waits.push(ms),
    );
    expect(count(100, () => late('attacker') === undefined)).toBe(100);
    expect(waits).toEqual([]);
    await late('attacker');
    expect(waits).toEqual([100]);
    expect(late('customer')).toBeUndefined();
    clock.nowMs += 1_000;
    expect(count(100, () => late('attacker') === undefined)).toBe(20);
  });
});

const settings = { host: '127.0.0.1', port: 0, requestTimeoutSeconds: 30, keepAliveSeconds: 72 };
const servers: HttpServer[] = [];

afterAll(() => Promise.all(servers.map((server) => server.close(0))));

function firstLine(port: number, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host: '127.0.0.1', port }, () => socket.write(request));
    socket.on('error', reject);
    socket.once('data', (chunk) => {
      socket.destroy();
      resolve(chunk.toString('latin1').split('\r\n')[0] ?? '');
    });
  });
}

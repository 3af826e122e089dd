import { createSocket } from 'node:dgram';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { selfSigned } from '../../../../test/support/self-signed.ts';
import { fileSink } from '../../src/audit/file-sink.ts';
import { httpsSink } from '../../src/audit/https-sink.ts';
import { openAudit } from '../../src/audit/open-audit.ts';
import { type SyslogTarget, syslogMessage, syslogSink } from '../../src/audit/syslog-sink.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'countersign-audit-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

const lines = (path: string) => readFileSync(path, 'utf8').split('\n').filter(Boolean);

describe('file', () => {
  test('D610: two processes that rotate one file keep every record and delete none', async () => {
    const path = join(directory, 'rotated.log');
    const sinks = [1, 2].map(() => fileSink({ path, maxBytes: 500, sync: true }));
    for (let count = 0; count < 200; count++)
      await Promise.all(sinks.map((sink, index) => sink.write([JSON.stringify({ index, count })])));
    for (const sink of sinks) await sink.close();
    const files = readdirSync(directory).filter((name) => name.startsWith('rotated.log'));
    expect(files.length).toBeGreaterThan(5);
    const records = files.flatMap((name) => lines(join(directory, name)));
    expect(new Set(records).size).toBe(400);
    for (const record of records) JSON.parse(record);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('continues in a new file if another program renames it', async () => {
    const path = join(directory, 'moved.log');
    const sink = fileSink({ path, maxBytes: 1e6, sync: false });
    await sink.write(['one']);
    renameSync(path, `${path}.1`);
    await sink.write(['two']);
    await sink.close();
    expect([lines(`${path}.1`), lines(path)]).toEqual([['one'], ['two']]);
  });

  test('does not follow a symbolic link', async () => {
    const path = join(directory, 'link.log');
    symlinkSync(join(directory, 'elsewhere'), path);
    await expect(fileSink({ path, maxBytes: 1e6, sync: false }).write(['one'])).rejects.toThrow('ELOOP');
  });
});

/** Messages of a stream with a length before each (RFC 6587). */
function readFrames(text: string): string[] {
  const frames: string[] = [];
  for (let rest = Buffer.from(text); rest.length > 0; ) {
    const space = rest.indexOf(' ');
    const end = space + 1 + Number(rest.subarray(0, space));
    if (end > rest.length) break;
    frames.push(rest.subarray(space + 1, end).toString());
    rest = rest.subarray(end);
  }
  return frames;
}

async function listening(server: Server, path?: string): Promise<number> {
  await new Promise<void>((resolve) =>
    path === undefined ? server.listen(0, '127.0.0.1', resolve) : server.listen(path, resolve),
  );
  return path === undefined ? (server.address() as AddressInfo).port : 0;
}

describe('syslog', () => {
  test('a message has the form of RFC 5424', () => {
    expect(syslogMessage('{"a":1}', 0, 'node 1')).toBe(
      `<110>1 1970-01-01T00:00:00.000Z node1 countersign ${process.pid} audit - {"a":1}`,
    );
  });

  test.each(['tcp', 'tls', 'unix'] as const)(
    'over %s, records arrive in order, also after the server was restarted',
    async (transport) => {
      let text = '';
      const { cert, key } = selfSigned();
      const start = () => {
        const receive = (socket: import('node:net').Socket) => void socket.on('data', (chunk) => (text += chunk));
        return transport === 'tls' ? createTlsServer({ cert, key }, receive) : createServer(receive);
      };
      const path = join(directory, `${transport}.sock`);
      let server = start();
      const port = await listening(server, transport === 'unix' ? path : undefined);
      const target: SyslogTarget =
        transport === 'unix'
          ? { transport, path }
          : { transport, host: '127.0.0.1', port, ...(transport === 'tls' && { ca: cert }) };
      const sink = syslogSink(target);
      const sockets = new Set<import('node:net').Socket>();
      server.on('connection', (socket: import('node:net').Socket) => sockets.add(socket));
      await sink.write(['one', 'zwei ü']);
      await expect.poll(() => readFrames(text).length).toBe(2);
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await expect
        .poll(() =>
          sink.write(['three']).then(
            () => 'taken',
            () => 'failed',
          ),
        )
        .toBe('failed');
      server = start();
      await new Promise<void>((resolve) =>
        transport === 'unix' ? server.listen(path, resolve) : server.listen(port, '127.0.0.1', resolve),
      );
      await expect
        .poll(() =>
          sink.write(['four']).then(
            () => 'taken',
            () => 'failed',
          ),
        )
        .toBe('taken');
      await expect.poll(() => readFrames(text).map((frame) => frame.split(' - ')[1])).toContain('four');
      expect(
        readFrames(text)
          .map((frame) => frame.split(' - ')[1])
          .slice(0, 2),
      ).toEqual(['one', 'zwei ü']);
      await sink.close();
      server.close();
    },
  );

  test('over TLS, a server with another certificate gets nothing', async () => {
    const { cert, key } = selfSigned();
    const server = createTlsServer({ cert, key });
    const port = await listening(server);
    const sink = syslogSink({ transport: 'tls', host: '127.0.0.1', port });
    await expect(sink.write(['one'])).rejects.toThrow(/self.signed/);
    await sink.close();
    server.close();
  });

  test('over UDP, each record is a datagram', async () => {
    const socket = createSocket('udp4');
    const received: string[] = [];
    socket.on('message', (message) => received.push(message.toString()));
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    const sink = syslogSink({ transport: 'udp', host: '127.0.0.1', port: socket.address().port });
    await sink.write(['one', 'two']);
    await expect.poll(() => received.length).toBe(2);
    expect(received[0]).toMatch(/^<110>1 \S+ \S+ countersign \d+ audit - one$/);
    await sink.close();
    socket.close();
  });
});

test('https: posts lines with the token, and takes nothing but 2xx for an answer', async () => {
  const seen: { body: string; authorization: string | undefined }[] = [];
  let status = 204;
  const server = createHttpServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      seen.push({ body, authorization: request.headers.authorization });
      response.writeHead(status, { location: '/elsewhere' }).end();
    });
  });
  const port = await listening(server);
  const sink = httpsSink({ url: `http://127.0.0.1:${port}/records`, token: 'secret' });
  await sink.write(['{"a":1}', '{"a":2}']);
  expect(seen).toEqual([{ body: '{"a":1}\n{"a":2}\n', authorization: 'Bearer secret' }]);
  for (status of [302, 500]) await expect(sink.write(['{}'])).rejects.toThrow(`responded with ${status}`);
  expect(seen).toHaveLength(3);
  await sink.close();
  server.close();
});

describe('D611: settings that would lose or show records', () => {
  const open = (auditSink: string | undefined, auditRequired = true) =>
    openAudit(
      { auditRequired, auditFileMegabytes: 1, ...(auditSink !== undefined && { auditSink }) },
      { error: () => undefined, warn: () => undefined } as never,
      () => undefined,
    );

  test.each([
    [undefined, 'no audit sink is configured'],
    ['syslog+udp://127.0.0.1:514', 'UDP does not report lost messages'],
    ['http://logs.example.com/', 'is not valid'],
    ['https://user:password@logs.example.com/', 'is not valid'],
    ['syslog+tcp://logs.example.com:514/path', 'is not valid'],
    ['file:/nowhere/at/all/audit.log', 'cannot be opened'],
  ])('%s', async (sink, message) => {
    await expect(open(sink)).rejects.toThrow(message);
  });

  test('a file and a sink on this machine are accepted, and UDP if records are not required', async () => {
    for (const [sink, required] of [
      [`file:${join(directory, 'accepted.log')}`, true],
      ['syslog+udp://127.0.0.1:9', false],
      ['syslog+tls://[::1]', false],
    ] as const) {
      const trail = await open(sink, required);
      expect(trail).toBeDefined();
      if (required) await trail?.close();
    }
    expect(await open(undefined, false)).toBeUndefined();
  });
});

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { selfSigned } from '../../../../../test/support/self-signed.ts';
import { createClientAddress } from '../../../src/http/transport/client-address.ts';
import { createEntrance } from '../../../src/http/transport/entrance.ts';
import { ProxyHeaderError, readProxyHeader } from '../../../src/http/transport/proxy-header.ts';
import { createHttpServer, type HttpServer } from '../../../src/http/transport/server.ts';
import { createTlsHandshakes } from '../../../src/http/transport/tls-handshake.ts';
import { showIpAddress } from '../../../src/network/ip-address.ts';
import { get, talkPlain } from './tls-support.ts';

const SIGNATURE = '0d0a0d0a000d0a515549540a';

/** A header of version 2 (section 2.2): signature, version and command, family and protocol, length, addresses. */
function binary(versionAndCommand: number, family: number, block: string): Buffer {
  const head = Buffer.from(
    `${SIGNATURE}${[versionAndCommand, family].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`,
    'hex',
  );
  const length = Buffer.alloc(2);
  length.writeUInt16BE(block.length / 2);
  return Buffer.concat([head, length, Buffer.from(block, 'hex')]);
}

const IPV4_BLOCK = 'c0000201c6336402115c01bb';
const IPV6_BLOCK = `20010db8${'00'.repeat(11)}0120010db8${'00'.repeat(11)}02115c01bb`;

function read(bytes: Buffer | string): string {
  const header = readProxyHeader(Buffer.from(bytes as string));
  if (header === undefined) return 'more';
  const { client } = header;
  return client === undefined ? 'unknown' : client === 'local' ? 'local' : showIpAddress(client);
}

describe('readProxyHeader', () => {
  test.each([
    ['PROXY TCP4 192.0.2.1 198.51.100.2 4444 443\r\nGET', '192.0.2.1'],
    ['PROXY TCP6 2001:db8::1 2001:db8::2 4444 443\r\n', '2001:db8::1'],
    ['PROXY TCP6 ::ffff:192.0.2.1 2001:db8::2 4444 443\r\n', '192.0.2.1'],
    ['PROXY UNKNOWN\r\n', 'unknown'],
    ['PROXY UNKNOWN 192.0.2.1 198.51.100.2 4444 443\r\n', 'unknown'],
    [binary(0x21, 0x11, IPV4_BLOCK), '192.0.2.1'],
    // Extensions follow the addresses.
    [binary(0x21, 0x11, `${IPV4_BLOCK}030004deadbeef`), '192.0.2.1'],
    [binary(0x21, 0x21, IPV6_BLOCK), '2001:db8::1'],
    [binary(0x20, 0x00, ''), 'local'],
    [binary(0x20, 0x11, IPV4_BLOCK), 'local'],
    // A socket of the same machine, and datagrams.
    [binary(0x21, 0x31, '00'.repeat(216)), 'unknown'],
    [binary(0x21, 0x12, IPV4_BLOCK), 'unknown'],
  ])('%# reads the client, and every beginning needs more bytes', (bytes, client) => {
    expect(read(bytes)).toBe(client);
    const whole = Buffer.from(bytes as string);
    const length = readProxyHeader(whole)?.length ?? 0;
    for (let end = 0; end < length; end++) expect(read(whole.subarray(0, end))).toBe('more');
  });

  test.each([
    'GET / HTTP/1.1\r\n',
    'proxy TCP4 192.0.2.1 198.51.100.2 4444 443\r\n',
    'PROXY TCP4 192.0.2.1 198.51.100.2 4444\r\n',
    'PROXY TCP4 192.0.2.1 198.51.100.2 4444 443 5\r\n',
    'PROXY TCP4 192.0.2.256 198.51.100.2 4444 443\r\n',
    'PROXY TCP4 2001:db8::1 198.51.100.2 4444 443\r\n',
    'PROXY TCP6 192.0.2.1 198.51.100.2 4444 443\r\n',
    'PROXY TCP4 192.0.2.1 198.51.100.2 4444 70000\r\n',
    'PROXY TCP4  192.0.2.1 198.51.100.2 4444 443\r\n',
    `PROXY TCP4 ${'1'.repeat(120)}`,
    binary(0x11, 0x11, IPV4_BLOCK),
    binary(0x22, 0x11, IPV4_BLOCK),
    binary(0x21, 0x11, IPV4_BLOCK.slice(0, 20)),
    binary(0x21, 0x21, IPV4_BLOCK),
    binary(0x21, 0x11, 'ff'.repeat(5_000)),
  ])('%# is rejected', (bytes) => {
    expect(() => read(bytes)).toThrow(ProxyHeaderError);
  });

  test('any bytes are a header, too few, or rejected', () => {
    const prefix = fc.constantFrom(
      Buffer.from('PROXY '),
      Buffer.from('PROXY TCP4 '),
      Buffer.from(SIGNATURE, 'hex'),
      Buffer.alloc(0),
    );
    fc.assert(
      fc.property(prefix, fc.uint8Array({ maxLength: 300 }), (begin, rest) => {
        try {
          expect(readProxyHeader(Buffer.concat([begin, rest]))?.length ?? 0).toBeLessThanOrEqual(begin.length + rest.length);
        } catch (error) {
          expect(error).toBeInstanceOf(ProxyHeaderError);
        }
      }),
    );
  });
});

describe('connections of proxies', () => {
  const servers: HttpServer[] = [];
  afterAll(async () => {
    for (const server of servers) await server.close(0);
  });

  async function serve(proxies: readonly string[], withTls = false): Promise<number> {
    const clientAddress = createClientAddress(proxies);
    const server = createHttpServer(
      { host: '127.0.0.1', port: 0, requestTimeoutSeconds: 30, keepAliveSeconds: 72 },
      (request, response) => {
        const client = clientAddress(request);
        response.end(`<${request.url} ${client ? showIpAddress(client) : 'unknown'}>`);
      },
      {
        entrance: createEntrance({
          proxies,
          deadlineMs: 30_000,
          ...(withTls && { tls: createTlsHandshakes(selfSigned(), { tlsMinVersion: '1.3', tlsClientAuth: 'optional' }) }),
        }),
      },
    );
    servers.push(server);
    return server.listen();
  }

  const line = 'PROXY TCP4 203.0.113.9 127.0.0.1 4444 443\r\n';
  let trusted = 0;
  beforeAll(async () => {
    trusted = await serve(['127.0.0.1/32', '10.0.0.0/8']);
  });

  test('the announced client is the client, for every request of the connection', async () => {
    const first = 'GET /1 HTTP/1.1\r\nHost: x\r\n\r\n';
    const heard = await talkPlain(trusted, line + first + get('/2'));
    expect(heard).toContain('</1 203.0.113.9>');
    expect(heard).toContain('</2 203.0.113.9>');
    expect(await talkPlain(trusted, Buffer.concat([binary(0x21, 0x11, IPV4_BLOCK), Buffer.from(get('/3'))]))).toContain(
      '</3 192.0.2.1>',
    );
  });

  test('D601: a client cannot announce another address: its own header comes after that of the proxy', async () => {
    const heard = await talkPlain(trusted, `${line}PROXY TCP4 10.1.1.1 127.0.0.1 4444 443\r\n${get('/')}`);
    expect(heard).toContain('HTTP/1.1 400');
    // Nor with a header of HTTP, because the announced client is no trusted proxy.
    expect(await talkPlain(trusted, line + get('/', 'X-Forwarded-For: 10.1.1.1\r\n'))).toContain('</ 203.0.113.9>');
  });

  test('the header of HTTP counts if the announced client is a trusted proxy, too', async () => {
    const chained = 'PROXY TCP4 10.0.0.7 127.0.0.1 4444 443\r\n';
    expect(await talkPlain(trusted, chained + get('/', 'X-Forwarded-For: 198.51.100.4\r\n'))).toContain('</ 198.51.100.4>');
  });

  test('D601: a connection of a proxy without the header is closed, and an unknown client has no address', async () => {
    expect(await talkPlain(trusted, get('/'))).toBe('');
    expect(await talkPlain(trusted, `PROXY UNKNOWN\r\n${get('/')}`)).toContain('</ unknown>');
    expect(await talkPlain(trusted, Buffer.concat([binary(0x20, 0, ''), Buffer.from(get('/'))]))).toContain('</ 127.0.0.1>');
  });

  test('D601: other peers announce nothing', async () => {
    const port = await serve(['10.0.0.0/8']);
    expect(await talkPlain(port, line + get('/'))).toContain('HTTP/1.1 400');
    expect(await talkPlain(port, get('/'))).toContain('</ 127.0.0.1>');
  });

  test('the header comes before TLS', async () => {
    const port = await serve(['127.0.0.1/32'], true);
    const { connect: dial } = await import('node:net');
    const { connect } = await import('node:tls');
    const raw = dial({ host: '127.0.0.1', port });
    raw.write(line);
    const secured = connect({ socket: raw, rejectUnauthorized: false });
    const heard = new Promise<string>((resolve) => {
      let text = '';
      secured.on('data', (chunk) => (text += chunk)).on('close', () => resolve(text));
    });
    secured.write(get('/'));
    expect(await heard).toContain('</ 203.0.113.9>');
  });
});

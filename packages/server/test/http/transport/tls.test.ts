import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { authority, selfSigned } from '../../../../../test/support/self-signed.ts';
import { openAdmission } from '../../../src/admission/admission.ts';
import { KnownCallers } from '../../../src/admission/known-callers.ts';
import { createRates } from '../../../src/admission/rates.ts';
import { ConfigError } from '../../../src/config/config-error.ts';
import { readConfig } from '../../../src/config/read-config.ts';
import { createEntrance, type EntranceOptions } from '../../../src/http/transport/entrance.ts';
import { createHttpServer, type HttpOptions, type HttpServer } from '../../../src/http/transport/server.ts';
import { openTls } from '../../../src/http/transport/tls.ts';
import { readTlsFiles, type TlsSettings } from '../../../src/http/transport/tls-files.ts';
import { createTlsHandshakes, type TlsHandshakes } from '../../../src/http/transport/tls-handshake.ts';
import { parseIpAddress } from '../../../src/network/ip-address.ts';
import { noLimits } from '../../admission/support.ts';
import { get, talk, talkPlain, untilClosed } from './tls-support.ts';

const own = selfSigned();
const clients = authority();
const settings: TlsSettings = { tlsMinVersion: '1.3', tlsClientAuth: 'optional' };
const folder = mkdtempSync(join(tmpdir(), 'countersign-tls-'));
const running: HttpServer[] = [];

afterEach(async () => {
  for (const server of running.splice(0)) await server.close(0);
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Served {
  readonly tls?: Pick<TlsHandshakes, 'secure'>;
  readonly deadlineMs?: number;
  readonly handshake?: NonNullable<EntranceOptions['handshake']>;
  readonly admit?: HttpOptions['admit'];
}

/** Serves the path of each request, and as many bytes as it asks for. Returns the port. */
async function serve({ tls = createTlsHandshakes(own, settings), deadlineMs = 30_000, handshake, admit }: Served = {}) {
  const server = createHttpServer(
    { host: '127.0.0.1', port: 0, requestTimeoutSeconds: 30, keepAliveSeconds: 72 },
    (request, response) => {
      const { encrypted, authorized } = request.socket as TLSSocket;
      const body = `<${request.url} ${encrypted} ${authorized}>${'x'.repeat(Number(request.headers['x-size'] ?? 0))}`;
      request.resume().on('end', () => response.end(body));
    },
    {
      ...(admit && { admit }),
      entrance: createEntrance({ tls, deadlineMs, ...(handshake && { handshake }) }),
    },
  );
  running.push(server);
  return server.listen();
}

const trusting = { ca: own.cert };

describe('TLS', () => {
  test('serves several requests on a connection, and long responses', async () => {
    const port = await serve();
    const first = 'GET /first HTTP/1.1\r\nHost: x\r\n\r\n';
    const heard = await talk(port, first + get('/second', 'X-Size: 3000000\r\n'), trusting);
    expect(heard).toContain('</first true false>');
    expect(heard).toContain('</second true false>');
    expect(heard.length).toBeGreaterThan(3_000_000);
  });

  test('D596: accepts TLS 1.3 only, or 1.2 if the operator chooses, and never older versions', async () => {
    const answers = async (port: number, version: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3') =>
      (
        await talk(port, get('/'), { ...trusting, minVersion: version, maxVersion: version, ciphers: 'ALL:@SECLEVEL=0' })
      ).includes('200');
    const strict = await serve();
    expect([await answers(strict, 'TLSv1.2'), await answers(strict, 'TLSv1.3')]).toEqual([false, true]);
    const lenient = await serve({ tls: createTlsHandshakes(own, { ...settings, tlsMinVersion: '1.2' }) });
    expect([await answers(lenient, 'TLSv1.1'), await answers(lenient, 'TLSv1.2')]).toEqual([false, true]);
    // No block ciphers, and no key exchange without forward secrecy.
    const old = { ...trusting, maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA256:AES128-GCM-SHA256' } as const;
    expect(await talk(lenient, get('/'), old)).toBe('');
  });

  test.each([
    ['nothing', ''],
    ['a part of a handshake', Buffer.from([22, 3, 1, 2, 0, 1])],
  ])('D596: closes a connection that sends %s before the deadline', async (_what, bytes) => {
    const port = await serve({ deadlineMs: 300 });
    expect(await talkPlain(port, bytes)).toBe('');
    expect(await talk(port, get('/next'), trusting)).toContain('</next');
  });

  test.each([
    ['plain HTTP', get('/')],
    ['a record that is too long', Buffer.from([22, 3, 1, 255, 255])],
    ['a handshake of random bytes', Buffer.concat([Buffer.from([22, 3, 1, 0, 64]), Buffer.alloc(64, 7)])],
  ])('D596: closes a connection with %s, without an answer in plain text', async (_what, bytes) => {
    const port = await serve();
    expect(await talkPlain(port, bytes)).not.toContain('HTTP');
    expect(await talk(port, get('/next'), trusting)).toContain('</next');
  });

  test('D597: limits the handshakes of one address', async () => {
    const rates = createRates({ ...noLimits, handshakesPerAddress: 1 }, new KnownCallers(), undefined, () => 0);
    const port = await serve({ handshake: () => void rates.countHandshake('one') });
    const heard = await Promise.all(Array.from({ length: 8 }, () => talk(port, get('/'), trusting)));
    // A burst of five.
    expect(heard.filter((text) => text.includes('200'))).toHaveLength(5);
  });

  test('D597: clients of a trusted proxy share no limit, and every other address has its own', () => {
    const limit = { ...readConfig({}, {}), handshakesPerAddress: 1, trustedProxies: ['192.0.2.1/32'] };
    const admission = openAdmission(limit);
    const begun = (address: string) => {
      let count = 0;
      try {
        for (; count < 20; count++) admission.handshake(parseIpAddress(address), () => false)?.catch(() => {});
      } catch {
        // The rest is refused.
      }
      return count;
    };
    expect(['192.0.2.1', '192.0.2.2', '192.0.2.3', '2001:db8::1', '2001:db8::2'].map(begun)).toEqual([20, 5, 5, 5, 0]);
  });

  test('D597: a handshake waits for its turn with the whole first message', async () => {
    const turns: (() => void)[] = [];
    const port = await serve({ handshake: () => new Promise((resolve) => turns.push(resolve)) });
    const partial = talkPlain(port, Buffer.from([22, 3, 1, 2, 0]));
    const whole = talk(port, get('/'), trusting);
    await expect.poll(() => turns.length).toBe(1);
    turns[0]?.();
    expect(await whole).toContain('200');
    expect(turns).toHaveLength(1);
    await running[0]?.close(0);
    await partial;
  });

  test('D600: a client that does not read its response is disconnected, and its neighbour is served', async () => {
    const port = await serve();
    const slow = connect({ host: '127.0.0.1', port, servername: 'localhost', ...trusting });
    slow.on('error', () => {});
    slow.pause();
    slow.write(get('/slow', 'X-Size: 30000000\r\n'));
    expect(await talk(port, get('/next'), trusting)).toContain('</next');
    // Without reading, the client notices the end when it writes.
    const ended = new Promise((resolve) => slow.on('close', resolve));
    const writing = setInterval(() => slow.write(' '), 500);
    await ended;
    clearInterval(writing);
  }, 120_000);

  test('D600: limits pipelined requests', async () => {
    const port = await serve();
    const socket = connect({ host: '127.0.0.1', port, servername: 'localhost', ...trusting });
    const heard = untilClosed(socket);
    socket.write('POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n'.repeat(2_000));
    expect((await heard).split('HTTP/1.1 200').length).toBeLessThan(2_000);
  });

  test('D600: a connection counts once, before and after its handshake, and can be closed for another one', async () => {
    const open = new Set<{ resetAndDestroy(): unknown }>();
    const port = await serve({
      admit(_peer, connection) {
        if (open.size >= 2) {
          const [oldest] = open;
          oldest?.resetAndDestroy();
        }
        open.add(connection);
        return () => open.delete(connection);
      },
    });
    const idle = [1, 2, 3].map(() => connect({ host: '127.0.0.1', port, servername: 'localhost', ...trusting }));
    const [first] = idle.map(untilClosed);
    await first;
    await expect.poll(() => open.size).toBe(2);
    for (const socket of idle) socket.destroy();
    await expect.poll(() => open.size).toBe(0);
  });
});

describe('client certificates', () => {
  const mine = clients.issue('backend');
  const presenting = (certificate: { cert: string; key: string }) => ({ ...trusting, ...certificate });

  test.each([
    ['optional', '</ true false>'],
    ['required', ''],
  ] as const)('D598: %s: a certificate of the authority is accepted, any other ends the connection', async (mode, without) => {
    const tls = createTlsHandshakes({ ...own, clientCa: clients.cert }, { ...settings, tlsClientAuth: mode });
    const port = await serve({ tls });
    expect(await talk(port, get('/'), presenting(mine))).toContain('</ true true>');
    expect(await talk(port, get('/'), presenting(authority().issue('backend')))).toBe('');
    expect(await talk(port, get('/'), presenting(own))).toBe('');
    const anonymous = await talk(port, get('/'), trusting);
    if (without === '') expect(anonymous).toBe('');
    else expect(anonymous).toContain(without);
  });

  test('D599: a session does not outlive the authority that allowed it', async () => {
    const tls = createTlsHandshakes({ ...own, clientCa: clients.cert }, { ...settings, tlsClientAuth: 'required' });
    const port = await serve({ tls });
    const socket = connect({ host: '127.0.0.1', port, servername: 'localhost', ...presenting(mine) });
    const sessions: Buffer[] = [];
    socket.on('session', (session) => sessions.push(session));
    const heard = untilClosed(socket);
    socket.write(get('/'));
    expect(await heard).toContain('true true');
    const resumed = sessions.map((session) => talk(port, get('/'), { ...trusting, session }));
    expect([...new Set(await Promise.all(resumed))]).toEqual(['']);
    tls.reload({ ...own, clientCa: authority().cert }, { ...settings, tlsClientAuth: 'required' });
    expect(await talk(port, get('/'), presenting(mine))).toBe('');
  });
});

describe('files of certificates', () => {
  let files = 0;
  const file = (content: string, mode = 0o600) => {
    const path = join(folder, String(files++));
    writeFileSync(path, content);
    chmodSync(path, mode);
    return path;
  };
  const errorOf = (given: Partial<TlsSettings>) => {
    try {
      readTlsFiles({ ...settings, ...given });
    } catch (error) {
      if (error instanceof ConfigError) return error.message;
      throw error;
    }
    return 'accepted';
  };

  test('D596: a key that other users can read, or that does not belong to the certificate, is refused without showing it', () => {
    const tlsCert = file(own.cert, 0o644);
    expect(errorOf({ tlsCert, tlsKey: file(own.key) })).toBe('accepted');
    expect(errorOf({ tlsCert, tlsKey: file(own.key, 0o644) })).toContain('open to other users');
    expect(errorOf({ tlsCert, tlsKey: file(selfSigned().key) })).toContain('does not belong to the certificate');
    const broken = errorOf({ tlsCert, tlsKey: file('not a key: 4711') });
    expect(broken).toContain('TLS cannot use');
    expect(broken).not.toContain('4711');
    expect(errorOf({ tlsCert: file('nothing'), tlsKey: file(own.key) })).toContain('without valid certificates');
    expect(errorOf({ tlsCert })).toContain('--tls-key is missing');
    expect(errorOf({ tlsKey: file(own.key) })).toContain('--tls-cert is missing');
    expect(errorOf({ tlsClientCa: file(own.cert) })).toContain('no effect without TLS');
    expect(errorOf({ tlsCert, tlsKey: file(own.key), tlsClientAuth: 'required' })).toContain('--tls-client-ca is missing');
  });

  test('D602: changed files serve new connections, and half-written ones change nothing', async () => {
    const [tlsCert, tlsKey] = [file(own.cert), file(own.key)];
    const logged: string[] = [];
    const log = { info: (text: string) => logged.push(text), error: (_: unknown, text: string) => logged.push(text) };
    const tls = openTls({ ...settings, tlsCert, tlsKey }, log as never, 20);
    if (tls === undefined) throw new Error('TLS is off');
    const port = await serve({ tls });
    const kept = connect({ host: '127.0.0.1', port, servername: 'localhost', ...trusting });
    await new Promise((resolve) => kept.once('secureConnect', resolve));
    const next = selfSigned();
    writeFileSync(tlsCert, next.cert);
    await expect.poll(() => logged).toEqual([expect.stringContaining('were not reloaded')]);
    expect(await talk(port, get('/'), trusting)).toContain('200');
    writeFileSync(tlsKey, next.key);
    await expect.poll(() => logged.at(-1)).toContain('were reloaded');
    expect(await talk(port, get('/'), { ca: next.cert })).toContain('200');
    expect(await talk(port, get('/'), trusting)).toBe('');
    const heard = untilClosed(kept);
    kept.write(get('/kept'));
    expect(await heard).toContain('</kept');
    tls.close();
  });
});

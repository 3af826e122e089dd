import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { placeOf, type Serving, serve } from '../faults/fault/support/serving.ts';
import { installedFile } from '../support/debian-packages.ts';
import { engines, type Installation } from '../support/installation.ts';
import { authority, type SelfSigned, selfSigned } from '../support/self-signed.ts';

const NEED = 'The transcripts of TLS need curl and openssl';

describe('TLS of the service, seen by curl and openssl', () => {
  const first = selfSigned();
  const clients = authority();
  const transcript: string[] = [];
  let installation: Installation;
  let server: Serving;
  let folder: string;
  let port: string;

  const write = (name: string, { cert, key }: SelfSigned) => {
    writeFileSync(join(folder, `${name}.pem`), cert);
    writeFileSync(join(folder, `${name}.key`), key, { mode: 0o600 });
  };

  beforeAll(async () => {
    installedFile(['/usr/bin/curl'], ['curl'], NEED);
    installedFile(['/usr/bin/openssl'], ['openssl'], NEED);
    installation = await engines.sqlite();
    folder = join(installation.directory, 'tls');
    mkdirSync(folder);
    write('server', first);
    write('clients', clients);
    write('alice', clients.issue('alice'));
    write('stranger', authority('Others').issue('stranger'));
    server = await start();
  });
  afterAll(async () => {
    await server?.kill();
    await installation?.remove();
    process.stdout.write(`${transcript.join('\n')}\n`);
  });

  async function start(...flags: readonly string[]): Promise<Serving> {
    const words = ['--tls-cert', 'server.pem', '--tls-key', 'server.key', ...flags];
    transcript.push(`$ countersign serve ${words.join(' ')}`);
    const serving = await serve(
      placeOf(installation),
      words.map((word) => (/\.(pem|key)$/.test(word) ? join(folder, word) : word)),
    );
    port = new URL(serving.url).port;
    return serving;
  }

  /** Runs a line of a shell where the certificates are. The transcript shows a fixed port. Returns what it printed. */
  function run(line: string): string {
    const { stdout, stderr } = spawnSync('/bin/sh', ['-c', line.replaceAll('8787', port)], { cwd: folder, encoding: 'utf8' });
    const text = `${stdout}${stderr}`.trim();
    transcript.push(`$ ${line}`, text.replaceAll(port, '8787'));
    return text;
  }

  const hello = 'openssl s_client -connect 127.0.0.1:8787 -CAfile server.pem -brief </dev/null 2>&1';
  const serial = 'openssl s_client -connect 127.0.0.1:8787 </dev/null 2>/dev/null | openssl x509 -noout -serial';
  const curl = "curl -sS -w '%{http_code}\\n' -o /dev/null --cacert server.pem";

  test('TLS 1.3 is spoken, TLS 1.2 and plain HTTP are not', () => {
    expect(run(`${hello} | grep -E 'Protocol|Ciphersuite|Verification'`)).toMatch(/TLSv1\.3\n.*\n?Verification: OK/s);
    expect(run(`${hello.replace('-brief', '-brief -tls1_2')} | grep -o 'tlsv1 alert protocol version'`)).not.toBe('');
    expect(run(`${curl} https://127.0.0.1:8787/healthz`)).toBe('200');
    expect(run(`${curl} http://127.0.0.1:8787/healthz`)).toMatch(/^000\s+curl: \((52|56)\)/);
  });

  test('D602: a renewed certificate is served after a reload, without a restart', async () => {
    const before = run(serial);
    write('server', selfSigned());
    transcript.push('$ cp renewed.pem server.pem; cp renewed.key server.key; kill -HUP $SERVER');
    server.signal('SIGHUP');
    const now = () => spawnSync('/bin/sh', ['-c', serial.replaceAll('8787', port)], { encoding: 'utf8' }).stdout.trim();
    await expect.poll(now).not.toBe(before);
    expect(run(serial)).not.toBe(before);
    expect(run(`${curl} https://127.0.0.1:8787/healthz`)).toBe('200');
    expect(server.isRunning()).toBe(true);
  });

  test('D598: with required certificates, only clients of the authority connect', async () => {
    server.signal('SIGTERM');
    await server.ended;
    server = await start('--tls-client-ca', 'clients.pem', '--tls-client-auth', 'required');
    const url = 'https://127.0.0.1:8787/healthz';
    expect(run(`${curl} ${url}`)).toContain('000');
    expect(run(`${curl} --cert stranger.pem --key stranger.key ${url}`)).toContain('000');
    expect(run(`${curl} --cert alice.pem --key alice.key ${url}`)).toBe('200');
  });
});

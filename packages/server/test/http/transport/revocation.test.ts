import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { selfSigned } from '../../../../../test/support/self-signed.ts';
import { certificateAdvice, checkCertificates } from '../../../src/commands/doctor/certificate-advice.ts';
import { readConfig } from '../../../src/config/read-config.ts';
import { createEntrance } from '../../../src/http/transport/entrance.ts';
import { nextUpdateOf } from '../../../src/http/transport/revocation-list.ts';
import { createHttpServer, type HttpServer } from '../../../src/http/transport/server.ts';
import { openTls, type ServiceTls } from '../../../src/http/transport/tls.ts';
import { expiriesOf } from '../../../src/http/transport/tls-expiry.ts';
import { readTlsFiles, type TlsSettings } from '../../../src/http/transport/tls-files.ts';
import { get, talk } from './tls-support.ts';

const DAY_MS = 86_400_000;
const folder = mkdtempSync(join(tmpdir(), 'countersign-crl-'));
const path = (name: string) => join(folder, name);
const server = selfSigned();
const openssl = (...words: string[]) => execFileSync('openssl', words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });

/** An authority of OpenSSL, with certificates for two clients. */
function makeAuthority(): void {
  mkdirSync(path('issued'));
  for (const [name, text] of [
    ['index.txt', ''],
    ['serial', '01\n'],
    ['crlnumber', '01\n'],
    [
      'ca.cnf',
      `[ca]\ndefault_ca = own\n[own]\ndatabase = ${path('index.txt')}\nserial = ${path('serial')}\ncrlnumber = ${path('crlnumber')}
new_certs_dir = ${path('issued')}\ncertificate = ${path('ca.pem')}\nprivate_key = ${path('ca.key')}\ndefault_md = sha256
default_days = 30\ndefault_crl_days = 30\npolicy = any\n[any]\ncommonName = supplied\n`,
    ],
  ] as const)
    writeFileSync(path(name), text);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Clients', '-days', '60');
  for (const name of ['alice', 'bob']) {
    openssl('req', ...key, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    openssl('ca', '-batch', '-notext', '-config', 'ca.cnf', '-in', `${name}.csr`, '-out', `${name}.pem`);
  }
}

const makeList = (...words: string[]) => openssl('ca', '-config', 'ca.cnf', '-gencrl', '-out', 'crl.pem', ...words);
const revoke = (name: string) => openssl('ca', '-config', 'ca.cnf', '-revoke', `${name}.pem`);

const settings = (more: Partial<TlsSettings> = {}): TlsSettings => ({
  tlsMinVersion: '1.3',
  tlsClientAuth: 'optional',
  tlsCert: path('server.pem'),
  tlsKey: path('server.key'),
  tlsClientCa: path('ca.pem'),
  tlsClientCrl: path('crl.pem'),
  ...more,
});

beforeAll(() => {
  makeAuthority();
  makeList();
  writeFileSync(path('server.pem'), server.cert);
  writeFileSync(path('server.key'), server.key, { mode: 0o600 });
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('lists of revoked client certificates', () => {
  let tls: ServiceTls;
  let http: HttpServer;
  let port: number;
  const logged: string[] = [];

  beforeAll(async () => {
    const log = { info: (text: string) => logged.push(text), error: (_: unknown, text: string) => logged.push(text) };
    tls = openTls(settings(), log as never, 20) as ServiceTls;
    http = createHttpServer(
      { host: '127.0.0.1', port: 0, requestTimeoutSeconds: 30, keepAliveSeconds: 72 },
      (_request, response) => void response.end('served'),
      { entrance: createEntrance({ tls, deadlineMs: 30_000 }) },
    );
    port = await http.listen();
  });
  afterAll(async () => {
    tls?.close();
    await http?.close(0);
  });

  const isServed = async (name?: string) => {
    const own = name === undefined ? {} : { cert: readFileSync(path(`${name}.pem`)), key: readFileSync(path(`${name}.key`)) };
    return (await talk(port, get('/'), { ca: server.cert, ...own })).includes('served');
  };

  test('D672: a revoked certificate ends the connection after a reload, and others stay welcome', async () => {
    expect([await isServed('alice'), await isServed('bob'), await isServed()]).toEqual([true, true, true]);
    revoke('bob');
    makeList();
    await expect.poll(() => logged.at(-1)).toContain('were reloaded');
    expect([await isServed('alice'), await isServed('bob'), await isServed()]).toEqual([true, false, true]);
  });

  test('D672: a list that cannot be read changes nothing, and one that is not current lets no certificate pass', async () => {
    const list = readFileSync(path('crl.pem'), 'utf8');
    for (const wrong of ['', list.replace(/[A-Z]{8}/, 'AAAAAAAA').slice(0, 200), readFileSync(path('ca.pem'), 'utf8')]) {
      const seen = logged.length;
      writeFileSync(path('crl.pem'), wrong);
      await expect.poll(() => logged.length).toBeGreaterThan(seen);
      expect(logged.at(-1)).toContain('were not reloaded');
      expect([await isServed('alice'), await isServed('bob')]).toEqual([true, false]);
      writeFileSync(path('crl.pem'), list);
      // The same list again: nothing to reload, and the next error is logged again.
      tls.reload();
    }
    makeList('-crl_lastupdate', '20200101000000Z', '-crl_nextupdate', '20200201000000Z');
    await expect.poll(() => logged.at(-1)).toContain('were reloaded');
    expect([await isServed('alice'), await isServed('bob'), await isServed()]).toEqual([false, false, true]);
    makeList();
    await expect.poll(() => isServed('alice')).toBe(true);
  });

  test('a list needs an authority, and must be one', () => {
    const { tlsClientCa: _, ...without } = settings();
    expect(() => readTlsFiles(without)).toThrow('--tls-client-crl has no effect without --tls-client-ca');
    expect(() => readTlsFiles(settings({ tlsClientCrl: path('ca.pem') }))).toThrow('without valid lists of revoked certificates');
    expect(() => readTlsFiles(settings({ tlsClientCrl: path('none') }))).toThrow('cannot be read');
  });
});

describe('expiry', () => {
  const dateOf = (...words: string[]) =>
    Date.parse(
      openssl(...words)
        .toString()
        .replace(/^[^=]*=/, ''),
    );

  test('is what openssl reads in certificates and lists', () => {
    const files = readTlsFiles(settings());
    if (files === undefined) throw new Error('TLS is off');
    expect(expiriesOf(files)).toEqual({
      certificate: dateOf('x509', '-in', 'server.pem', '-noout', '-enddate'),
      client_ca: dateOf('x509', '-in', 'ca.pem', '-noout', '-enddate'),
      client_crl: dateOf('crl', '-in', 'crl.pem', '-noout', '-nextupdate'),
    });
  });

  test('of a list is read in both forms of time, and bytes that are no list are rejected', () => {
    const list = readFileSync(path('crl.pem'), 'utf8');
    makeList('-crl_lastupdate', '20490101000000Z', '-crl_nextupdate', '20510203040506Z');
    expect(nextUpdateOf(readFileSync(path('crl.pem'), 'utf8'))).toBe(Date.UTC(2051, 1, 3, 4, 5, 6));
    writeFileSync(path('crl.pem'), list);
    const body = Buffer.from(list.replace(/-----[^-]+-----/g, ''), 'base64');
    for (let length = 0; length < 40; length++) {
      const cut = `-----BEGIN X509 CRL-----\n${body.subarray(0, length).toString('base64')}\n-----END X509 CRL-----`;
      expect(() => nextUpdateOf(cut)).toThrow('not a list of revoked certificates');
    }
  });

  test('within two weeks is a warning of serve and doctor, and unreadable files are a finding', () => {
    const config = readConfig(
      {
        tlsCert: path('server.pem'),
        tlsKey: path('server.key'),
        tlsClientCa: path('ca.pem'),
        tlsClientCrl: path('crl.pem'),
      },
      {},
    );
    const about = (nowMs: number) => certificateAdvice(config, nowMs).map(({ detail }) => detail.replace(/ on .*?Z/, ''));
    // The certificate of the tests is valid for a day.
    const expires = 'the certificate in --tls-cert expires: then clients do not connect';
    expect(about(Date.now())).toEqual([expires]);
    expect(about(Date.now() - 20 * DAY_MS)).toEqual([]);
    expect(about(Date.now() + 31 * DAY_MS)).toEqual([
      'the certificate in --tls-cert expired: clients do not connect',
      'a list in --tls-client-crl expired: clients with certificates of its authority cannot connect',
    ]);
    expect(checkCertificates(config)).toEqual([expect.objectContaining({ check: 'TLS', ok: true, warning: true })]);
    const broken = checkCertificates({ ...config, tlsKey: path('none') });
    expect(broken).toEqual([expect.objectContaining({ check: 'TLS', ok: false })]);
    expect(checkCertificates(readConfig({}, {}))).toEqual([]);
  });
});

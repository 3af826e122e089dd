import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { get, talk, talkPlain } from '../../../packages/server/test/http/transport/tls-support.ts';
import { runCommand } from '../../faults/fault/support/command-process.ts';
import { placeOf, type Serving, serve } from '../../faults/fault/support/serving.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { authority, selfSigned } from '../../support/self-signed.ts';

/** Each connection goes to the next worker: this many reach both of them. */
const CALLS = 4;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('countersign serve with TLS and two workers', () => {
  const first = selfSigned();
  const clients = authority();
  let installation: Installation;
  let server: Serving;
  let port: number;
  let adminPort: number;
  let path: (name: string) => string;

  const each = (call: () => Promise<string>) => Promise.all(Array.from({ length: CALLS }, call));

  beforeAll(async () => {
    installation = await engines.sqlite();
    const folder = join(installation.directory, 'tls');
    mkdirSync(folder);
    path = (name) => join(folder, name);
    writeFileSync(path('cert.pem'), first.cert);
    writeFileSync(path('key.pem'), first.key, { mode: 0o600 });
    writeFileSync(path('clients.pem'), clients.cert);
    adminPort = await freePort();
    const settings = [
      'workers: 2',
      `tlsCert: ${path('cert.pem')}`,
      `tlsKey: ${path('key.pem')}`,
      `tlsClientCa: ${path('clients.pem')}`,
      `adminListen: 127.0.0.1:${adminPort}`,
    ];
    writeFileSync(path('countersign.yaml'), settings.join('\n'), { mode: 0o600 });
    server = await serve(placeOf(installation), ['--config', path('countersign.yaml')]);
    port = Number(new URL(server.url).port);
  });
  afterAll(async () => {
    server?.signal('SIGTERM');
    await server?.ended;
    await installation?.remove();
  });

  test('serves the API to the commands of this machine', async () => {
    expect(server.url).toMatch(/^https:/);
    const environment = { NODE_EXTRA_CA_CERTS: path('cert.pem') };
    const { stdout } = await runCommand(['whoami', '--json', '--data-dir', installation.directory], { environment });
    expect(JSON.parse(stdout)).toMatchObject({ activity: { organizationId: server.root.organizationId } });
  });

  test('D603: metrics and health have an address without TLS, operations and metrics have one address each', async () => {
    const pages = ['/metrics', '/healthz', '/readyz', '/', '/public/v1/query/whoami', '/console/', '/openapi.json'];
    const status = (text: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]);
    const admin = await Promise.all(pages.map(async (page) => status(await talkPlain(adminPort, get(page)))));
    expect(admin).toEqual([200, 200, 200, 404, 404, 404, 404]);
    const service = await Promise.all(pages.map(async (page) => status(await talk(port, get(page), { ca: first.cert }))));
    expect(service.slice(0, 3)).toEqual([404, 200, 200]);
    expect(status(await talkPlain(adminPort, get('/metrics').replace('GET', 'POST')))).toBe(405);
    expect(await talkPlain(adminPort, get('/metrics'))).toContain('countersign_requests_total');
  });

  test('D602: SIGHUP reloads certificates in every worker, and a pair that does not match changes nothing', async () => {
    const answered = async (ca: string) =>
      (await each(() => talk(port, get('/healthz'), { ca }))).map((text) => text.includes('200'));
    const next = selfSigned();
    writeFileSync(path('cert.pem'), next.cert);
    server.signal('SIGHUP');
    await expect.poll(() => server.stderr()).toContain('were not reloaded');
    expect(await answered(first.cert)).toEqual(Array(CALLS).fill(true));
    writeFileSync(path('key.pem'), next.key);
    server.signal('SIGHUP');
    await expect.poll(async () => (await answered(next.cert)).every(Boolean)).toBe(true);
    expect(await answered(first.cert)).toEqual(Array(CALLS).fill(false));
    writeFileSync(path('cert.pem'), first.cert);
    writeFileSync(path('key.pem'), first.key);
    server.signal('SIGHUP');
    await expect.poll(async () => (await answered(first.cert)).every(Boolean)).toBe(true);
  });

  test('D598: clients may connect with a certificate of the authority, and not with another one', async () => {
    const mine = { ca: first.cert, ...clients.issue('backend') };
    expect((await each(() => talk(port, get('/healthz'), mine))).every((text) => text.includes('200'))).toBe(true);
    const other = { ca: first.cert, ...authority().issue('backend') };
    expect(await each(() => talk(port, get('/healthz'), other))).toEqual(Array(CALLS).fill(''));
  });
});

import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, type Installation } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';

const NOT_HERE = 'The console is not served here.\n';
const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('the front page', () => {
  let installation: Installation;
  let service: TestService;
  beforeAll(async () => {
    installation = await engines.sqlite();
    service = await startService(installation, { config: { console: 'off' } });
  });
  afterAll(async () => {
    await service?.close();
    await installation?.remove();
  });

  test('is HTML for browsers, with the common security headers', async () => {
    const response = await fetch(`${service.url}/`, { headers: browser });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'/,
    );
    const text = await response.text();
    expect(text).toContain('<a href="openapi.json">');
    expect(text).not.toContain('href="console/"');
    expect(text).not.toContain(service.first.organizationId);
  });

  test('is JSON for programs', async () => {
    for (const accept of ['*/*', 'application/json']) {
      const response = await fetch(`${service.url}/`, { headers: { accept } });
      expect(response.headers.get('vary')).toBe('Accept');
      expect(await response.json()).toMatchObject({ name: 'Countersign', api: '/public/v1', openapi: 'openapi.json' });
    }
  });

  test('accepts only GET and HEAD', async () => {
    const response = await fetch(`${service.url}/`, { method: 'POST', body: '{}' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    const head = await fetch(`${service.url}/`, { method: 'HEAD', headers: browser });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  test('a disabled console is not served', async () => {
    for (const path of ['/console', '/console/', '/console/index.html', '/console/settings.json']) {
      const response = await fetch(service.url + path, { redirect: 'manual' });
      expect([response.status, await response.text()]).toEqual([404, NOT_HERE]);
    }
  });
});

test('a console on its own port serves only the console and the API', async () => {
  const installation = await engines.sqlite();
  const port = await freePort();
  const service = await startService(installation, { config: { console: port } });
  const own = `http://127.0.0.1:${port}`;
  try {
    expect(await (await fetch(`${service.url}/console/`)).text()).toBe(NOT_HERE);
    expect(await (await fetch(`${own}/console/`)).text()).not.toBe(NOT_HERE);
    for (const url of [service.url, own]) {
      const body = JSON.stringify({ organizationId: service.first.organizationId });
      const answer = await fetch(`${url}/public/v1/query/whoami`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      });
      expect((await answer.json()).errorCode).toBe('STAMP_MISSING');
    }
  } finally {
    await service.close();
    await installation.remove();
  }
  await expect(fetch(`${own}/healthz`)).rejects.toThrow();
});

test('page requests are rate limited like operations', async () => {
  const installation = await engines.sqlite();
  const service = await startService(installation, { config: { requestsPerAddress: 1 } });
  try {
    const statuses: number[] = [];
    for (let index = 0; index < 12; index++) statuses.push((await fetch(`${service.url}/console/`)).status);
    expect(statuses.at(-1)).toBe(429);
  } finally {
    await service.close();
    await installation.remove();
  }
});

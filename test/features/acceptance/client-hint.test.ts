import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, type Installation } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';

const hint = /base URL that ends in \/compat\/turnkey/;

describe('a published client at the paths of the specification', () => {
  let installation: Installation;
  let service: TestService;

  beforeAll(async () => {
    installation = await engines.sqlite();
    service = await startService(installation);
  });
  afterAll(async () => {
    await service?.close();
    await installation?.remove();
  });

  /** A query makes the request one that node:http reads. Without it, the plain reader does. */
  const messageOf = async (path: string, version: string | undefined) => {
    const headers = { 'Content-Type': 'application/json', ...(version !== undefined && { 'X-Client-Version': version }) };
    const answer = await fetch(service.url + path, { method: 'POST', headers, body: '{"organizationId":"x"}' });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    return ((await answer.json()) as { message: string }).message;
  };

  const paths = ['/public/v1/query/whoami', '/public/v1/query/whoami?x=1', '/public/v1/query/no_such_operation'];

  test.each(paths)('gets a hint in its errors: %s', async (path) => {
    expect(await messageOf(path, '@turnkey/http@6.6.0')).toMatch(hint);
    for (const version of [undefined, '@countersign/client@0.1.0', '@turnkey/http', `@turnkey/${'x'.repeat(99)}@1`])
      expect(await messageOf(path, version)).not.toMatch(hint);
  });

  test('gets no hint on the compatible path', async () => {
    expect(await messageOf('/compat/turnkey/public/v1/query/whoami', '@turnkey/http@6.6.0')).not.toMatch(hint);
  });

  test('is logged once per version, and invented versions do not fill the log', async () => {
    const logged = () => service.logText().split('uses the paths of the specification').length - 1;
    const before = logged();
    for (let count = 0; count < 3; count += 1) await messageOf(paths[0] ?? '', '@turnkey/sdk-server@8.2.1');
    expect(logged()).toBe(before + 1);
    for (let count = 0; count < 150; count += 1) await messageOf(paths[0] ?? '', `@turnkey/http@0.0.${count}`);
    expect(logged()).toBe(100);
    expect(service.logText()).toContain('"clientVersion":"@turnkey/http@0.0.1"');
  });

  test('is served if its call is valid', async () => {
    const body = JSON.stringify({ organizationId: service.root.organizationId });
    expect((await service.root.send('/public/v1/query/whoami', body)).status).toBe(200);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../support/caller.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { uniqueName } from '../../support/world.ts';

describe('the compatible dialect at the root', () => {
  let installation: Installation;
  let service: TestService;
  let root: Caller;

  beforeAll(async () => {
    installation = await engines.sqlite();
    service = await startService(installation, { config: { compatRoot: true } });
    ({ root } = service);
  });

  afterAll(async () => {
    await service?.close();
    await installation?.remove();
  });

  const whoami = (basePath: string) =>
    root.send(`${basePath}/public/v1/query/whoami`, JSON.stringify({ organizationId: root.organizationId }));

  test('is served at the root and at its usual base path, the specification at /spec', async () => {
    for (const basePath of ['', '/compat/turnkey'])
      expect(await whoami(basePath)).toMatchObject({ status: 200, body: { organizationId: root.organizationId } });
    const moved = await whoami('/spec');
    expect(moved.body.activity).toMatchObject({
      type: 'ACTIVITY_TYPE_UNKNOWN_V1',
      result: { organizationId: root.organizationId },
    });
  });

  test('accepts the newest versions at the root, and those of the specification at /spec', async () => {
    const body = () => root.submitBody('createWallet', { walletName: uniqueName('Wallet'), accounts: [] });
    const atRoot = await root.send('/public/v1/submit/create_wallet', body());
    expect(Object.keys(atRoot.body.activity.result)).toEqual(['createWalletResult']);
    expect(atRoot.body.activity.votes).toHaveLength(1);
    const moved = await root.send('/spec/public/v1/submit/create_wallet', body());
    expect(moved.body.activity.result.activity.result).toHaveProperty('createWalletResult');
  });

  test('errors, unavailable operations and unknown paths follow the dialect of their base path', async () => {
    const refusedAt = async (path: string) => Object.keys((await root.send(path, '{')).body).sort();
    expect(await refusedAt('/public/v1/submit/create_wallet')).toContain('turnkeyErrorCode');
    expect(await refusedAt('/spec/public/v1/submit/create_wallet')).toContain('errorCode');
    expect((await root.send('/public/v1/submit/eth_send_raw_transaction', '{}')).status).toBe(501);
    expect((await root.send('/spec/public/v1/submit/eth_send_raw_transaction', '{}')).status).toBe(404);
    expect((await root.send('/spec/compat/turnkey/public/v1/query/whoami', '{}')).status).toBe(404);
  });

  test('a stamped body is accepted at either path of the organization, once', async () => {
    const body = root.submitBody('createWallet', { walletName: uniqueName('Wallet'), accounts: [] });
    const [first, again] = [
      await root.send('/public/v1/submit/create_wallet', body),
      await root.send('/spec/public/v1/submit/create_wallet', body),
    ];
    expect(again.body.activity.id).toBe(first.body.activity.id);
  });

  test('the OpenAPI document, webhook keys and saved credentials use the configured root', async () => {
    const { paths } = (await (await fetch(`${service.url}/openapi.json`)).json()) as { paths: Record<string, { post: object }> };
    expect(paths['/public/v1/query/whoami']?.post).toMatchObject({ operationId: 'compatibleWhoami' });
    expect(paths['/spec/public/v1/query/whoami']?.post).toMatchObject({ operationId: 'whoami' });
    expect(Object.keys(paths).some((path) => path.startsWith('/compat/'))).toBe(false);
    for (const basePath of ['', '/spec', '/compat/turnkey'])
      expect((await fetch(`${service.url}${basePath}/public/v1/discovery/webhooks/jwks`)).status).toBe(200);
    expect(service.first.baseUrl).toMatch(/\/spec$/);
  });
});

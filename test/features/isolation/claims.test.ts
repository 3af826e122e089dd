import { activities, dialects, operationPath, queries } from '@countersign/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import { nextTimestampMs } from '../../support/caller.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { type HeldEdge, startCore } from './support.ts';

const WHOAMI = operationPath(dialects.spec, queries.whoami);
const CREATE_KEYS = operationPath(dialects.spec, activities.createApiKeys);
const ADMIN_PORT = 9_090;

describe('what an edge claims about connections', () => {
  const certificate = newApiKey();
  let installation: Installation;
  let core: Awaited<ReturnType<typeof startCore>>;
  let edge: HeldEdge;

  beforeAll(async () => {
    installation = await engines.sqlite();
    core = await startCore(installation);
    const open = (await core.edge()).open();
    const body = JSON.stringify({
      type: activities.createApiKeys.type,
      timestampMs: nextTimestampMs(),
      organizationId: core.first.organizationId,
      parameters: {
        userId: core.first.userId,
        apiKeys: [{ apiKeyName: 'certificate', publicKey: certificate.publicKey, curveType: 'API_KEY_CURVE_P256' }],
      },
    });
    expect((await open.stamped(CREATE_KEYS, body, core.key)).body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED');
    await core.close();
    const adminListen = { host: '127.0.0.1', port: ADMIN_PORT };
    core = await startCore(installation, { tlsClientBinding: true, tlsClientAuth: 'required', adminListen });
    edge = await core.edge();
  });
  afterAll(async () => {
    await core?.close();
    await installation?.remove();
  });

  const who = () => JSON.stringify({ organizationId: core.first.organizationId });

  test('D660: the certificate of a client is a second proof: with it a stamp is accepted, without it refused', async () => {
    edge.open(1, { certificateKey: certificate.publicKey }).open(2).open(3, { certificateKey: newApiKey().publicKey });
    expect((await edge.stamped(WHOAMI, who(), core.key, 1)).status).toBe(200);
    for (const connection of [2, 3]) expect((await edge.stamped(WHOAMI, who(), core.key, connection)).status).toBe(403);
  });

  test('D660: a certificate that an edge claims is worth nothing without a stamp of its user', async () => {
    edge.open(4, { certificateKey: certificate.publicKey });
    expect((await edge.send(WHOAMI, who(), {}, 'POST', 4)).status).toBe(401);
    expect((await edge.stamped(WHOAMI, who(), newApiKey(), 4)).status).toBe(401);
  });

  test('D660: the port of operators has pages and no operations, also for an edge that claims it', async () => {
    edge.open(5, { localPort: ADMIN_PORT }).open(6, { certificateKey: certificate.publicKey });
    const status = async (path: string, on: number) => (await edge.send(path, '', {}, 'GET', on)).status;
    expect([await status('/metrics', 5), await status('/readyz', 5)]).toEqual([200, 200]);
    expect([await status('/metrics', 6), await status('/readyz', 6)]).toEqual([404, 200]);
    expect([await status('/openapi.json', 5), await status('/openapi.json', 6)]).toEqual([404, 200]);
    expect((await edge.stamped(WHOAMI, who(), core.key, 5)).status).toBe(404);
  });
});

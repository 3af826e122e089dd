import { notOffered } from '@countersign/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, type Installation } from '../../../../test/support/installation.ts';
import { startService, type TestService } from '../../../../test/support/service.ts';
import { turnkey } from '../../src/dialects/turnkey.ts';
import { buildRoutes } from '../../src/http/api/routes.ts';

describe('operations that are not offered', () => {
  const routes = buildRoutes([turnkey]);

  test.each([...notOffered])('%s is not served, and the reason is a sentence', (path, reason) => {
    expect(routes.has(turnkey.basePath + path), 'it is served now: remove its row').toBe(false);
    expect(path).toMatch(/^(\/public\/v1\/(query|submit)|\/v1)\/[a-z0-9_]+$/);
    expect(reason).toMatch(/^[a-z].*\.$/);
  });

  describe('over HTTP', () => {
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

    const path = '/public/v1/submit/eth_send_raw_transaction';

    test('the compatible base path says that it is not offered, and why', async () => {
      const { status, body } = await service.root.send(turnkey.basePath + path, '{}');
      expect(status).toBe(501);
      expect(body).toMatchObject({ code: 12, message: `This operation is not offered by this server: ${notOffered.get(path)}` });
    });

    test('D710: no document stands in for the attestation of an enclave', async () => {
      const { organizationId } = service.root;
      const asked = JSON.stringify({ organizationId, enclaveType: 'signer' });
      const { status, body } = await service.root.send(`${turnkey.basePath}/public/v1/query/get_attestation`, asked);
      expect({ status, code: body.code }).toEqual({ status: 501, code: 12 });
      expect(body.message).toContain('not in an attested enclave');
      expect(JSON.stringify(body)).not.toContain('attestationDocument');
    });

    test('a browser gets the same answer: its preflight is answered', async () => {
      const headers = { origin: 'https://app.example.com', 'access-control-request-method': 'POST' };
      const answer = await fetch(service.url + turnkey.basePath + path, { method: 'OPTIONS', headers });
      expect(answer.status).toBe(204);
    });

    test('other methods, other names and the specification’s path get the usual answers', async () => {
      expect((await fetch(service.url + turnkey.basePath + path)).status).toBe(405);
      expect((await service.root.send(`${turnkey.basePath}/public/v1/submit/no_such_operation`, '{}')).status).toBe(404);
      expect((await service.root.send(path, '{}')).status).toBe(404);
    });
  });
});

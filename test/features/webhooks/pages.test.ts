import { expect, test } from 'vitest';
import { describeEngines } from '../../support/describe-engines.ts';
import { createPrivateKey, createSubOrganization } from '../../support/world.ts';
import { counted, createEndpoint, lastOf, nothingWaits, toLoopback } from './support.ts';
import { useReceivers } from './use-receivers.ts';

describeEngines(
  'metrics and keys of webhooks',
  (subject) => {
    const receiver = useReceivers(() => subject().raw);

    test('what the metrics count', async () => {
      const { service } = subject();
      const { caller } = await createSubOrganization(service.root);
      const hook = await receiver();
      const outcomes = ['delivered', 'retried', 'refused'];
      const before = await Promise.all(outcomes.map((outcome) => counted(service.url, outcome)));
      const answers = [200, 503, 200, 410];
      hook.answer(() => answers.shift() ?? 200);
      await createEndpoint(caller, hook.url);
      await createPrivateKey(caller);
      await createPrivateKey(caller);
      await hook.answered(4);
      await nothingWaits(subject().raw);
      const after = await Promise.all(outcomes.map((outcome) => counted(service.url, outcome)));
      expect(after.map((count, index) => count - (before[index] ?? 0))).toEqual([2, 1, 1]);
    });

    test('the key page is on both base paths, may be cached, and has the signing key', async () => {
      const { service } = subject();
      const pages = await Promise.all(
        ['', '/compat/turnkey'].map((base) => fetch(`${service.url}${base}/public/v1/discovery/webhooks/jwks`)),
      );
      const bodies = await Promise.all(pages.map((page) => page.json()));
      for (const page of pages) {
        expect(page.status).toBe(200);
        expect(page.headers.get('cache-control')).toBe('public, max-age=3600');
        expect(page.headers.get('content-type')).toContain('application/json');
      }
      expect(bodies[0]).toEqual(bodies[1]);
      const { x, kid } = bodies[0].keys[0];
      expect(x).toBe(Buffer.from(service.services.vault.service.eventKey).toString('base64url'));
      const hook = await receiver();
      await createEndpoint((await createSubOrganization(service.root)).caller, hook.url);
      expect(lastOf(await hook.taken(1)).headers['x-turnkey-signature-key-id']).toBe(kid);
    });
  },
  toLoopback,
);

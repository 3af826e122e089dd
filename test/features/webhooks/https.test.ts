import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { placeOf, serve } from '../../faults/fault/support/serving.ts';
import { waitUntil } from '../../faults/fault/support/wait-until.ts';
import { engines } from '../../support/installation.ts';
import { selfSigned } from '../../support/self-signed.ts';
import { createPrivateKey, createSubOrganization } from '../../support/world.ts';
import { startReceiver } from './receiver.ts';
import { createEndpoint, gistsOf, isAuthentic, lastOf } from './support.ts';

test('events go only to an https receiver with a trusted certificate', async () => {
  const installation = await engines.sqlite();
  const certificate = selfSigned();
  const hook = await startReceiver(certificate);
  const flags = ['--webhook-networks', '127.0.0.1/32'];
  const untrusting = await serve(placeOf(installation), flags);
  const { caller, organizationId } = await createSubOrganization(untrusting.root);
  await createEndpoint(caller, hook.url);
  expect(await waitUntil(60_000, () => hook.refusals() > 0)).toBe(true);
  expect(hook.deliveries).toEqual([]);
  untrusting.signal('SIGTERM');
  await untrusting.ended;

  const file = join(installation.directory, 'receiver.pem');
  await writeFile(file, certificate.cert);
  const trusting = await serve(placeOf(installation), flags, { environment: { NODE_EXTRA_CA_CERTS: file } });
  await createPrivateKey(caller.with({ url: trusting.url }));
  const told = await hook.taken(2);
  expect(gistsOf(organizationId, told)).toEqual(['CREATE_WEBHOOK_ENDPOINT COMPLETED', 'CREATE_PRIVATE_KEYS_V2 COMPLETED']);
  expect(await isAuthentic(trusting.url, lastOf(told))).toBe(true);
  await trusting.kill();
  await hook.close();
  await installation.remove();
});

import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createPrivateKey, createSubOrganization, createWallet, signParams } from '../../support/world.ts';
import type { Delivery } from './receiver.ts';
import { createEndpoint, eventIdOf, gistsOf, nothingWaits, subscribe, toLoopback } from './support.ts';
import { useReceivers } from './use-receivers.ts';

const payloadOf = ({ activity }: Delivery) => activity.intent.signRawPayloadIntentV2.payload;

describeEngines(
  'webhooks with two services on one installation',
  (subject) => {
    let second: TestService;
    const receiver = useReceivers(() => subject().raw);

    beforeAll(async () => {
      second = await startService(subject().installation, toLoopback);
      return () => second.close();
    });

    /** The same user at each service. */
    const atBoth = (caller: Caller): [Caller, Caller] => [caller, caller.with({ url: second.url })];

    test('R8: every event is delivered once, in the order of its organization’s activities', async () => {
      const { root } = subject().service;
      const hook = await receiver();
      const endpointId = await createEndpoint(root, hook.url, subscribe({ types: ['ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'] }));
      const tenants = await Promise.all([1, 2, 3].map(() => createSubOrganization(root)));
      // The other service must know the endpoint.
      await sleep(2_100);
      const payloads = Array.from({ length: 16 }, (_, index) => `Message ${index}`);
      await Promise.all(
        tenants.map(async ({ caller }) => {
          const callers = atBoth(caller);
          const key = await createPrivateKey(caller);
          for (const [index, payload] of payloads.entries())
            await (callers[index % 2] as Caller).result('signRawPayload', signParams(key, payload));
        }),
      );
      const told = await hook.taken(48);
      await nothingWaits(subject().raw);
      expect(new Set(told.map(eventIdOf)).size).toBe(48);
      expect(hook.deliveries).toHaveLength(48);
      for (const { organizationId } of tenants) {
        const own = told.filter(({ activity }) => activity.organizationId === organizationId);
        expect(own.map(payloadOf)).toEqual(payloads);
      }
      await root.result('deleteWebhookEndpoint', { endpointId });
    });

    test('when one stops, the other delivers the rest', async () => {
      const third = await startService(subject().installation, toLoopback);
      const { caller, organizationId } = await createSubOrganization(third.root);
      const hook = await receiver();
      hook.answer(() => 503);
      await createEndpoint(caller, hook.url);
      await createWallet(caller);
      await third.close();
      hook.answer(() => 200);
      await hook.taken(2);
      await nothingWaits(subject().raw);
      const told = hook.deliveries.filter(({ status }) => status === 200);
      expect(gistsOf(organizationId, told)).toEqual(['CREATE_WEBHOOK_ENDPOINT COMPLETED', 'CREATE_WALLET COMPLETED']);
    });

    test('an endpoint created at one is known to the other, also for sub-organizations', async () => {
      const { root } = subject().service;
      const { caller, organizationId } = await createSubOrganization(root);
      const [, there] = atBoth(caller);
      const only = subscribe({ types: ['ACTIVITY_TYPE_CREATE_WALLET'] });
      // The other service has cached the parent as it was before.
      await createWallet(there);
      const [above, own] = [await receiver(), await receiver()];
      const endpointId = await createEndpoint(root, above.url, only);
      await createEndpoint(caller, own.url, only);
      // An organization's own endpoints are known at once, those of its parent after at most two seconds.
      await createWallet(there);
      await own.taken(1);
      await sleep(2_100);
      await createWallet(there);
      await Promise.all([above.taken(1), own.taken(2)]);
      await nothingWaits(subject().raw);
      expect(gistsOf(organizationId, own.deliveries)).toEqual(['CREATE_WALLET COMPLETED', 'CREATE_WALLET COMPLETED']);
      expect(above.deliveries.map(eventIdOf)).toEqual([...new Set(above.deliveries.map(eventIdOf))]);
      await root.result('deleteWebhookEndpoint', { endpointId });
    });
  },
  toLoopback,
);

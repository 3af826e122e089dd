import { expect, test } from 'vitest';
import { describeEngines } from '../../support/describe-engines.ts';
import { createPrivateKey, createSubOrganization, createWallet } from '../../support/world.ts';
import { counted, createEndpoint, eventIdOf, gistsOf, isAuthentic, nothingWaits, subscribe, toLoopback } from './support.ts';
import { useReceivers } from './use-receivers.ts';

const HOUR_MS = 3_600_000;

describeEngines(
  'webhook retries',
  (subject) => {
    const receiver = useReceivers(() => subject().raw);

    test('R8: an event is retried until it is accepted, changes only in time and signature, and is not overtaken', async () => {
      const { service } = subject();
      const { root } = service;
      const hook = await receiver();
      const endpointId = await createEndpoint(root, hook.url, subscribe({ types: ['ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2'] }));
      const [stuck, other] = [await createSubOrganization(root), await createSubOrganization(root)];
      let refusals = 2;
      hook.answer(({ activity }) => (activity.organizationId === stuck.organizationId && refusals-- > 0 ? 503 : 200));
      for (const { caller } of [stuck, stuck, other, other]) await createPrivateKey(caller);
      await hook.taken(4);
      await root.result('deleteWebhookEndpoint', { endpointId });

      const of = (organizationId: string) => hook.deliveries.filter(({ activity }) => activity.organizationId === organizationId);
      const [first, again, taken, next, ...more] = of(stuck.organizationId);
      expect(more).toEqual([]);
      expect([first, again, taken, next].map((delivery) => delivery?.status)).toEqual([503, 503, 200, 200]);
      const tries = [first, again, taken].flatMap((delivery) => delivery ?? []);
      expect(new Set(tries.map(eventIdOf)).size).toBe(1);
      expect(new Set(tries.map(({ body }) => body)).size).toBe(1);
      const times = tries.map(({ headers }) => Number(headers['x-turnkey-timestamp']));
      expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
      expect(new Set(tries.map(({ headers }) => headers['x-turnkey-signature'])).size).toBe(3);
      for (const delivery of tries) expect(await isAuthentic(service.url, delivery)).toBe(true);
      // Later events of the same organization came after it. Another organization did not wait.
      expect(taken?.activity.id < next?.activity.id).toBe(true);
      const order = hook.deliveries.map(({ activity, status }) => [activity.organizationId, status]);
      expect(order.findIndex(([id]) => id === other.organizationId)).toBeLessThan(
        order.findIndex(([id, status]) => id === stuck.organizationId && status === 200),
      );
    });

    test('a final answer ends its event, and the next event follows', async () => {
      const { caller, organizationId } = await createSubOrganization(subject().service.root);
      const hook = await receiver();
      hook.answer(({ activity }) => (activity.type === 'ACTIVITY_TYPE_CREATE_WALLET' ? 400 : 200));
      await createEndpoint(caller, hook.url);
      await createWallet(caller);
      await createPrivateKey(caller);
      await hook.taken(2);
      await nothingWaits(subject().raw);
      expect(gistsOf(organizationId, hook.deliveries)).toEqual([
        'CREATE_WEBHOOK_ENDPOINT COMPLETED',
        'CREATE_WALLET COMPLETED',
        'CREATE_PRIVATE_KEYS_V2 COMPLETED',
      ]);
      expect(hook.deliveries.map(({ status }) => status)).toEqual([200, 400, 200]);
    });

    test('a redirect is final: it is not followed', async () => {
      const { caller } = await createSubOrganization(subject().service.root);
      const hook = await receiver();
      hook.answer(() => 308);
      await createEndpoint(caller, hook.url);
      await hook.answered(1);
      await nothingWaits(subject().raw);
      expect(hook.deliveries).toHaveLength(1);
    });

    test('an event that was not accepted in time is dropped, and newer events are not', async () => {
      const { service, raw } = subject();
      const { caller, organizationId } = await createSubOrganization(service.root);
      const hook = await receiver();
      hook.answer(() => 503);
      await createEndpoint(caller, hook.url);
      await hook.answered(1);
      const dropped = await counted(service.url, 'dropped');
      service.setAheadMs(1.5 * HOUR_MS);
      await nothingWaits(raw);
      service.setAheadMs(0);
      expect(await counted(service.url, 'dropped')).toBe(dropped + 1);
      hook.answer(() => 200);
      await createPrivateKey(caller);
      expect(gistsOf(organizationId, await hook.taken(1))).toEqual(['CREATE_PRIVATE_KEYS_V2 COMPLETED']);
    });
  },
  { config: { ...toLoopback.config, webhookRetryHours: 1 } },
);

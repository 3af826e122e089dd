import { expect, test } from 'vitest';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createMember, createPrivateKey, createSubOrganization } from '../../support/world.ts';
import { createEndpoint, gistsOf, lastOf, nothingWaits, subscribe, toLoopback } from './support.ts';
import { useReceivers } from './use-receivers.ts';

async function deliveriesOf(caller: Caller, options?: object): Promise<Json[]> {
  return (await caller.data('getWebhookDeliveries', options && { paginationOptions: options })).deliveries;
}

const wantsNothing = { subscriptions: [{ eventType: 'ACTIVITY_UPDATES', isActive: false }] };
const time = { seconds: expect.stringMatching(/^\d{10}$/), nanos: expect.any(String) };

describeEngines(
  'the state of webhook deliveries',
  (subject) => {
    const receiver = useReceivers(() => subject().raw);

    test('reports last success, last failure with its reason, pending events and next attempt', async () => {
      const { caller } = await createSubOrganization(subject().service.root);
      const hook = await receiver();
      const endpointId = await createEndpoint(caller, hook.url);
      await hook.taken(1);
      await expect.poll(() => deliveriesOf(caller)).toEqual([{ endpointId, waitingEvents: '0', lastSuccessAt: time }]);

      hook.answer(() => 503);
      await createPrivateKey(caller);
      await createPrivateKey(caller);
      await hook.answered(2);
      await expect
        .poll(async () => (await deliveriesOf(caller))[0])
        .toMatchObject({
          waitingEvents: '2',
          oldestWaitingAt: time,
          lastSuccessAt: time,
          lastFailure: { at: time, reason: 'the receiver responded with 503' },
        });
      hook.answer(() => 200);
      await nothingWaits(subject().raw);
      await expect
        .poll(async () => (await deliveriesOf(caller))[0])
        .toEqual({
          endpointId,
          waitingEvents: '0',
          lastSuccessAt: time,
          lastFailure: { at: time, reason: 'the receiver responded with 503' },
        });
    });

    test('is paged, newest endpoint first, and excludes other organizations', async () => {
      const [one, other] = [
        await createSubOrganization(subject().service.root),
        await createSubOrganization(subject().service.root),
      ];
      const hook = await receiver();
      const first = await createEndpoint(one.caller, hook.url, wantsNothing);
      const second = await createEndpoint(one.caller, hook.url, wantsNothing);
      await createEndpoint(other.caller, hook.url);
      await hook.taken(1);
      expect((await deliveriesOf(one.caller)).map(({ endpointId }) => endpointId)).toEqual([second, first]);
      expect(await deliveriesOf(one.caller, { limit: '1', after: second })).toEqual([{ endpointId: first, waitingEvents: '0' }]);
      const stranger = await other.caller.with({ organizationId: one.organizationId }).query('getWebhookDeliveries');
      expect(stranger.status).toBeGreaterThanOrEqual(400);
    });

    test('ACTIVITY_TYPE_TEST_WEBHOOK_ENDPOINT is executed: the endpoint gets it, whatever it subscribes to, and others do not', async () => {
      const { caller, organizationId } = await createSubOrganization(subject().service.root);
      const [hook, beside] = [await receiver(), await receiver()];
      const endpointId = await createEndpoint(caller, hook.url, subscribe({ types: ['ACTIVITY_TYPE_CREATE_WALLET'] }));
      await createEndpoint(caller, beside.url, wantsNothing);
      await caller.result('testWebhookEndpoint', { endpointId });
      const told = await hook.taken(1);
      expect(gistsOf(organizationId, told)).toEqual(['TEST_WEBHOOK_ENDPOINT COMPLETED']);
      expect(lastOf(told).activity.intent).toEqual({ testWebhookEndpointIntent: { endpointId } });
      expect(beside.deliveries).toEqual([]);
    });

    test('D221: a test event needs a policy, an endpoint of the organization, and room in the day', async () => {
      const { root } = subject().service;
      const [own, other] = [await createSubOrganization(root), await createSubOrganization(root)];
      const hook = await receiver();
      const endpointId = await createEndpoint(own.caller, hook.url, wantsNothing);
      const stranger = await createMember(own.caller);
      expect((await stranger.caller.submit('testWebhookEndpoint', { endpointId })).body.errorCode).toBe('POLICY_DENIED');
      expect((await other.caller.submit('testWebhookEndpoint', { endpointId })).body.errorCode).toBe('NOT_FOUND');
      for (let sent = 0; sent < 3; sent++) await own.caller.result('testWebhookEndpoint', { endpointId });
      expect((await own.caller.submit('testWebhookEndpoint', { endpointId })).body.errorCode).toBe('RATE_LIMIT_EXCEEDED');
      await hook.taken(3);
      expect(hook.deliveries).toHaveLength(3);
    });
  },
  { ...toLoopback, config: { ...toLoopback.config, maxWebhookTests: 3 } },
);

import { fetchWebhookKeys, verifyWebhook, verifyWebhookBatch, type WebhookBatch } from '@countersign/client';
import { expect, test } from 'vitest';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { startService } from '../../support/service.ts';
import { createPrivateKey, createSubOrganization, errorOf, signParams } from '../../support/world.ts';
import type { Delivery, Receiver } from './receiver.ts';
import { createEndpoint, endpointsOf, eventIdOf, nothingWaits, subscribe, toLoopback, waitingEvents } from './support.ts';
import { useReceivers } from './use-receivers.ts';

const signatures = subscribe({ types: ['ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'] });
const inBatches = { ...signatures, deliveryMode: 'WEBHOOK_DELIVERY_MODE_BATCH' };
const pipelined = { ...signatures, deliveryMode: 'WEBHOOK_DELIVERY_MODE_PIPELINE' };

async function signMany(caller: Caller, count: number): Promise<string[]> {
  const key = await createPrivateKey(caller);
  const ids: string[] = [];
  for (let done = 0; done < count; done++) ids.push((await caller.submit('signRawPayload', signParams(key))).body.activity.id);
  return ids;
}

const activityIds = (batches: readonly WebhookBatch[]) =>
  batches.flatMap(({ events }) => events.map(({ payload }) => (payload as { id: string }).id));
const numbersIn = (batches: readonly WebhookBatch[]) => batches.flatMap(({ events }) => events.map(({ sequence }) => sequence));

describeEngines(
  'webhooks in batches',
  (subject) => {
    const receiver = useReceivers(() => subject().raw);

    const verified = async (endpointId: string, deliveries: readonly Delivery[]): Promise<WebhookBatch[]> => {
      const keySet = await fetchWebhookKeys(subject().service.url);
      return deliveries.map(({ headers, body }) => verifyWebhookBatch({ headers, body }, { keySet, endpointId }));
    };

    /** Lets nothing through until a number of events wait. */
    const gather = async (hook: Receiver, caller: Caller, count: number): Promise<string[]> => {
      hook.answer(() => 503);
      const ids = await signMany(caller, count);
      hook.answer(() => 200);
      return ids;
    };

    test.each([inBatches, pipelined])('arrive with consecutive numbers and all events: %o', async (mode) => {
      const { caller, organizationId } = await createSubOrganization(subject().service.root);
      const hook = await receiver();
      const endpointId = await createEndpoint(caller, hook.url, mode);
      const ids = await gather(hook, caller, 12);
      await nothingWaits(subject().raw);
      const batches = await verified(
        endpointId,
        hook.deliveries.filter(({ status }) => status === 200),
      );
      expect(activityIds(batches)).toEqual(ids);
      expect(numbersIn(batches)).toEqual(ids.map((_, at) => at + 1));
      expect(batches.length).toBeLessThan(12);
      expect(new Set(batches.map(({ streamId }) => streamId)).size).toBe(1);
      for (const batch of batches) expect(batch).toMatchObject({ endpointId, organizationId, droppedEvents: 0 });
      expect(await endpointsOf(caller)).toMatchObject([{ endpointId, deliveryMode: mode.deliveryMode }]);
    });

    test('a parent receives the events of its sub-organizations in one stream', async () => {
      const { root } = subject().service;
      const hook = await receiver();
      const endpointId = await createEndpoint(root, hook.url, inBatches);
      const tenants = [await createSubOrganization(root), await createSubOrganization(root)];
      const ids = (await Promise.all(tenants.map(({ caller }) => signMany(caller, 4)))).flat();
      await nothingWaits(subject().raw);
      const batches = await verified(endpointId, hook.deliveries);
      expect(activityIds(batches).sort()).toEqual(ids.sort());
      expect(numbersIn(batches)).toEqual(ids.map((_, at) => at + 1));
      const owners = new Set(batches.flatMap(({ events }) => events.map(({ organizationId }) => organizationId)));
      expect(owners).toEqual(new Set(tenants.map(({ organizationId }) => organizationId)));
      await root.result('deleteWebhookEndpoint', { endpointId });
    });

    test('D537: a replayed, altered, reordered, old or foreign batch is recognized', async () => {
      const { caller } = await createSubOrganization(subject().service.root);
      const hook = await receiver();
      const endpointId = await createEndpoint(caller, hook.url, inBatches);
      await gather(hook, caller, 4);
      await nothingWaits(subject().raw);
      const { headers, body } = hook.deliveries.filter(({ status }) => status === 200).at(-1) as Delivery;
      const keySet = await fetchWebhookKeys(subject().service.url);
      const sent = verifyWebhookBatch({ headers, body }, { keySet, endpointId });
      // A replay within minutes verifies, and has the numbers that the receiver knows.
      expect(verifyWebhookBatch({ headers, body }, { keySet, endpointId })).toEqual(sent);
      const why = (delivery: object, options: object = {}) => {
        try {
          return verifyWebhookBatch({ headers, body, ...delivery }, { keySet, endpointId, ...options });
        } catch (error) {
          return (error as Error).message;
        }
      };
      const parsed = JSON.parse(body);
      expect(parsed.events.length).toBeGreaterThan(1);
      const invalid = 'its signature is invalid';
      for (const change of [
        { firstSequence: '1000' },
        { endpointId: 'another' },
        { streamId: 'another' },
        { droppedEvents: '7' },
        { events: [...parsed.events].reverse() },
        { events: parsed.events.slice(1) },
      ])
        expect(why({ body: JSON.stringify({ ...parsed, ...change }) })).toMatch(invalid);
      expect(why({}, { endpointId: 'another' })).toMatch('it is for another endpoint');
      expect(why({}, { nowMs: sent.sentAtMs + 300_001 })).toMatch('it is too old');
      expect(why({ headers: { ...headers, 'x-countersign-timestamp': String(sent.sentAtMs + 1) } })).toMatch(invalid);
      // Neither form is accepted as the other.
      const asSingle = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.replace('x-countersign-', 'x-turnkey-'), value]),
      );
      const single = {
        ...asSingle,
        'x-turnkey-signature-version': 'v1',
        'x-turnkey-event-id': '',
        'x-turnkey-organization-id': '',
      };
      expect(() => verifyWebhook({ headers: single, body }, { keySet })).toThrow(invalid);
    });

    test('D537: a number stands for the same event after a failure, in another process and after a late response', async () => {
      const service = await startService(subject().installation, toLoopback);
      const { caller } = await createSubOrganization(service.root);
      const hook = await receiver();
      const endpointId = await createEndpoint(caller, hook.url, pipelined);
      // The receiver has taken the events, and its responses are lost.
      hook.answer(() => 500);
      const ids = await signMany(caller, 6);
      await hook.answered(2);
      await service.close();
      hook.answer(() => 200);
      await nothingWaits(subject().raw);
      const batches = await verified(endpointId, hook.deliveries);
      const byNumber = new Map<number, Set<string>>();
      for (const { events } of batches)
        for (const { sequence, id } of events) byNumber.set(sequence, (byNumber.get(sequence) ?? new Set()).add(id));
      for (const [sequence, eventIds] of byNumber) expect([sequence, eventIds.size]).toEqual([sequence, 1]);
      const taken = await verified(
        endpointId,
        hook.deliveries.filter(({ status }) => status === 200),
      );
      expect(activityIds(taken)).toEqual(ids);
      expect(numbersIn(taken)).toEqual(ids.map((_, at) => at + 1));
    });

    test('a batch that is rejected is sent again, whatever the status', async () => {
      const { caller } = await createSubOrganization(subject().service.root);
      const hook = await receiver();
      const endpointId = await createEndpoint(caller, hook.url, inBatches);
      hook.answer(() => 400);
      const ids = await signMany(caller, 3);
      await hook.answered(1);
      expect((await waitingEvents(subject().raw)).length).toBeGreaterThan(0);
      hook.answer(() => 200);
      await nothingWaits(subject().raw);
      const taken = hook.deliveries.filter(({ status }) => status === 200);
      expect(activityIds(await verified(endpointId, taken))).toEqual(ids);
    });

    test('an endpoint changes its mode, and others keep the form of single deliveries', async () => {
      const { caller } = await createSubOrganization(subject().service.root);
      const [hook, other] = [await receiver(), await receiver()];
      const endpointId = await createEndpoint(caller, hook.url, signatures);
      await createEndpoint(caller, other.url, signatures);
      const [first] = await signMany(caller, 1);
      await hook.taken(1);
      await caller.result('updateWebhookEndpoint', { endpointId, deliveryMode: 'WEBHOOK_DELIVERY_MODE_BATCH' });
      const [second] = await signMany(caller, 1);
      await hook.taken(2);
      await caller.result('updateWebhookEndpoint', { endpointId, deliveryMode: 'WEBHOOK_DELIVERY_MODE_SINGLE' });
      const [third] = await signMany(caller, 1);
      await Promise.all([hook.taken(3), other.taken(3)]);
      const keySet = await fetchWebhookKeys(subject().service.url);
      const [one, batch, last] = hook.deliveries as [Delivery, Delivery, Delivery];
      for (const delivery of [one, last]) expect(verifyWebhook(delivery, { keySet }).id).toBe(eventIdOf(delivery));
      expect([one.activity.id, last.activity.id]).toEqual([first, third]);
      expect(activityIds(await verified(endpointId, [batch]))).toEqual([second]);
      expect(other.deliveries.map(({ activity }) => activity.id)).toEqual([first, second, third]);
      expect(await endpointsOf(caller)).not.toContainEqual(expect.objectContaining({ deliveryMode: expect.anything() }));
      const wrong = { endpointId, deliveryMode: 'WEBHOOK_DELIVERY_MODE_FAST' };
      expect(errorOf(await caller.submit('updateWebhookEndpoint', wrong))).toMatchObject({ status: 400 });
    });
  },
  toLoopback,
);

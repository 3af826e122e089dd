import { expect, test } from 'vitest';
import { describeEngines } from '../../support/describe-engines.ts';
import { createPrivateKey, createSubOrganization, signParams, uniqueName } from '../../support/world.ts';
import { createEndpoint, eventIdOf, isAuthentic, nothingWaits, plainEvent, toLoopback, waitingEvents } from './support.ts';
import { useReceivers } from './use-receivers.ts';

const ENDPOINTS = 10;

describeEngines(
  'bodies of events',
  (subject) => {
    const receiver = useReceivers(() => subject().raw);

    test('D360: an event for many endpoints is stored once, and every endpoint gets it whole', async () => {
      const { service, raw } = subject();
      const { caller, organizationId } = await createSubOrganization(service.root);
      const key = await createPrivateKey(caller);
      const hook = await receiver();
      hook.answer(() => 503);
      for (let at = 0; at < ENDPOINTS; at += 1) await createEndpoint(caller, hook.url, { name: uniqueName('Hook') });
      const rows = async (table: string, what: string) => {
        const sql = `SELECT count(*) AS n, coalesce(sum(octet_length(body)), 0) AS bytes FROM ${table} WHERE ${what}`;
        const [found] = await raw.all(sql, organizationId);
        return { count: Number(found?.n), bytes: Number(found?.bytes) };
      };
      const before = await rows('event_bodies', 'organization_id = ?');
      const signed = await caller.submit('signRawPayload', signParams(key, uniqueName('Message').padEnd(30_000, '.')));
      expect(signed.status).toBe(200);
      const after = await rows('event_bodies', 'organization_id = ?');
      expect(after.count - before.count).toBe(1);
      expect(after.bytes - before.bytes).toBeLessThan(200_000);
      const references = (await waitingEvents(raw)).filter((row) => plainEvent(service, row).includes(signed.body.activity.id));
      expect(references).toHaveLength(ENDPOINTS);
      expect(await rows('events', 'organization_id = ?')).toMatchObject({ bytes: 0 });

      hook.answer(() => 200);
      await nothingWaits(raw);
      const delivered = hook.deliveries.filter(
        ({ status, activity }) => status === 200 && activity.id === signed.body.activity.id,
      );
      expect(delivered).toHaveLength(ENDPOINTS);
      expect(new Set(delivered.map(eventIdOf)).size).toBe(1);
      expect(new Set(delivered.map(({ body }) => body)).size).toBe(1);
      expect(await isAuthentic(service.url, delivered[0] as (typeof delivered)[0])).toBe(true);
      expect(await rows('event_bodies', 'organization_id = ?')).toEqual({ count: 0, bytes: 0 });
    });
  },
  toLoopback,
);

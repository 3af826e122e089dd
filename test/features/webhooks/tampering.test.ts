import { expect, onTestFinished, test } from 'vitest';
import { describeEngines } from '../../support/describe-engines.ts';
import { createPrivateKey, createSubOrganization } from '../../support/world.ts';
import type { Receiver } from './receiver.ts';
import { createEndpoint, gistsOf, nothingWaits, plainEvent, subscribe, toLoopback, waitingEvents } from './support.ts';
import { useReceivers } from './use-receivers.ts';

const onlyKeys = subscribe({ types: ['ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2'] });

describeEngines(
  'D62: tampering with the events table',
  (subject) => {
    const receiver = useReceivers(() => subject().raw);

    /** Two organizations with a receiver each. Events of the first wait, `attack` edits the rows, and then all receivers accept. */
    async function stage(attack: (victim: Side, intruder: Side) => Promise<unknown>): Promise<[Side, Side]> {
      const { service, raw } = subject();
      const sides: Side[] = [];
      for (let index = 0; index < 2; index++) {
        const { caller, organizationId } = await createSubOrganization(service.root);
        const hook = await receiver();
        const endpointId = await createEndpoint(caller, hook.url, onlyKeys);
        sides.push({ organizationId, endpointId, hook });
        if (index > 0) continue;
        hook.answer(() => 503);
        await createPrivateKey(caller);
        await createPrivateKey(caller);
        await hook.answered(1);
      }
      const [victim, intruder] = sides as [Side, Side];
      await attack(victim, intruder);
      victim.hook.answer(() => 200);
      await nothingWaits(raw);
      return [victim, intruder];
    }

    interface Side {
      readonly organizationId: string;
      readonly endpointId: string;
      readonly hook: Receiver;
    }

    const taken = ({ hook, organizationId }: Side) =>
      gistsOf(
        organizationId,
        hook.deliveries.filter(({ status }) => status === 200),
      );
    const alarmsOf = ({ organizationId }: Pick<Side, 'organizationId'>) =>
      subject()
        .service.alarms()
        .filter((alarm) => alarm.organizationId === organizationId);

    test('an edited body is not sent and raises an alarm; the next event is sent', async () => {
      const { raw } = subject();
      const [victim] = await stage(async ({ organizationId }) => {
        const [row] = (await waitingEvents(raw)).filter((event) => event.organization_id === organizationId);
        const forged = plainEvent(subject().service, row).replace('ACTIVITY_STATUS_COMPLETED', 'ACTIVITY_STATUS_REJECTED');
        expect(forged).toContain('ACTIVITY_STATUS_REJECTED');
        const edit = 'UPDATE event_bodies SET body = ? WHERE organization_id = ? AND id = ?';
        expect(await raw.run(edit, forged, organizationId, String(row?.id))).toBe(1);
      });
      expect(taken(victim)).toEqual(['CREATE_PRIVATE_KEYS_V2 COMPLETED']);
      expect(victim.hook.deliveries.map(({ activity }) => activity.status)).not.toContain('ACTIVITY_STATUS_REJECTED');
      expect(alarmsOf(victim)).toMatchObject([{ what: expect.stringMatching(/^the event .* was not sent$/) }]);
    });

    test('an event moved to somebody else’s endpoint is not sent and raises an alarm', async () => {
      const { raw } = subject();
      const [victim, intruder] = await stage(async ({ organizationId }, { organizationId: listenerId, endpointId }) => {
        const moved = 'UPDATE events SET listener_id = ?, endpoint_id = ? WHERE organization_id = ?';
        expect(await raw.run(moved, listenerId, endpointId, organizationId)).toBe(2);
      });
      expect(intruder.hook.deliveries).toEqual([]);
      expect(taken(victim)).toEqual([]);
      expect(alarmsOf(victim)).toHaveLength(2);
    });

    test('an invented event, or one copied under another id, organization or time, is not sent', async () => {
      const { raw } = subject();
      const [victim, intruder] = await stage(async ({ organizationId }, { organizationId: listenerId, endpointId }) => {
        const copy = (fields: string) =>
          raw.run(
            `INSERT INTO events (organization_id, id, listener_id, endpoint_id, created_at_ms, mac, body)
             SELECT ${fields} FROM events WHERE organization_id = ? ORDER BY seq LIMIT 1`,
            organizationId,
          );
        await copy("organization_id, 'other-id', listener_id, endpoint_id, created_at_ms, mac, body");
        await copy(`'${listenerId}', id, listener_id, endpoint_id, created_at_ms, mac, body`);
        await copy("organization_id, 'later', listener_id, endpoint_id, created_at_ms + 1, mac, body");
        await copy(`organization_id, 'to-me', '${listenerId}', '${endpointId}', created_at_ms, mac, body`);
      });
      expect(intruder.hook.deliveries).toEqual([]);
      expect(taken(victim)).toEqual(['CREATE_PRIVATE_KEYS_V2 COMPLETED', 'CREATE_PRIVATE_KEYS_V2 COMPLETED']);
      expect([alarmsOf(victim).length, alarmsOf(intruder).length]).toEqual([3, 1]);
    });

    test('an endpoint with an edited record gets nothing until it is repaired', async () => {
      const { service, raw } = subject();
      const { caller, organizationId } = await createSubOrganization(service.root);
      const [hook, thief] = [await receiver(), await receiver()];
      const endpointId = await createEndpoint(caller, hook.url, onlyKeys);
      const [row] = await raw.all('SELECT body FROM records WHERE organization_id = ? AND id = ?', organizationId, endpointId);
      const body = String(row?.body);
      const edit = (text: string) =>
        raw.run('UPDATE records SET body = ? WHERE organization_id = ? AND id = ?', text, organizationId, endpointId);
      hook.answer(() => 503);
      await createPrivateKey(caller);
      await hook.answered(1);
      const place = { organizationId, key: ['records', 'webhookEndpoint', endpointId] };
      const plain = service.services.vault.atRest.open(place, body);
      expect(plain).toContain(hook.url);
      await edit(plain.replace(hook.url, thief.url));
      service.services.organizations.snapshots.drop(organizationId);
      await expect.poll(() => service.alarms().some((alarm) => alarm.organizationId === organizationId)).toBe(true);
      hook.answer(() => 200);
      await edit(body);
      // A failed endpoint is retried after some seconds.
      service.setAheadMs(10_000);
      onTestFinished(() => service.setAheadMs(0));
      await hook.taken(1);
      expect(thief.deliveries).toEqual([]);
    });

    test('a parent that does not verify gets no events, and its sub-organizations keep working', async () => {
      const { service, raw } = subject();
      const { root } = service;
      const { caller, organizationId } = await createSubOrganization(root);
      const [above, own] = [await receiver(), await receiver()];
      const endpointId = await createEndpoint(root, above.url, onlyKeys);
      await createEndpoint(caller, own.url, onlyKeys);
      const rename = (from: string, to: string) =>
        raw.run(
          'UPDATE records SET body = replace(body, ?, ?) WHERE organization_id = ? AND id = ?',
          from,
          to,
          root.organizationId,
          endpointId,
        );
      await rename('sealed1.', 'sealed1. ');
      service.services.organizations.snapshots.drop(root.organizationId);
      await createPrivateKey(caller);
      await own.taken(1);
      expect(alarmsOf({ organizationId: root.organizationId })).not.toEqual([]);
      await rename('sealed1. ', 'sealed1.');
      await createPrivateKey(caller);
      await Promise.all([above.taken(1), own.taken(2)]);
      expect(gistsOf(organizationId, above.deliveries)).toEqual(['CREATE_PRIVATE_KEYS_V2 COMPLETED']);
      await root.result('deleteWebhookEndpoint', { endpointId });
    });
  },
  toLoopback,
);

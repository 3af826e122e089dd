import { uuidv7 } from 'uuidv7';
import { describe, expect, test } from 'vitest';
import { commitOf, createOrganization, eventRow, put } from '../rows.ts';
import type { Subject } from './describe-store.ts';

/** What people are told of deliveries. */
export function eventReceiversSuite(subject: () => Subject): void {
  describe('notes on receivers of events', () => {
    const nothing = { takenAtMs: 0, failedAtMs: 0, fault: '', retryAtMs: 0 };

    test('a note keeps the times that it does not name, and always says when the next try is due', async () => {
      const { events } = subject().store;
      const [organizationId, endpointId] = [uuidv7(), uuidv7()];
      const state = async () => (await events.states(organizationId, [endpointId], 10))[0];
      expect(await state()).toEqual({ endpointId, ...nothing, waiting: 0, oldestAtMs: 0, dropped: 0, droppedAtMs: 0 });
      await events.note({ organizationId, endpointId, ...nothing, takenAtMs: 5 });
      await events.note({ organizationId, endpointId, ...nothing, failedAtMs: 6, fault: 'busy', retryAtMs: 9 });
      expect(await state()).toMatchObject({ takenAtMs: 5, failedAtMs: 6, fault: 'busy', retryAtMs: 9 });
      await events.note({ organizationId, endpointId, ...nothing, takenAtMs: 7 });
      expect(await state()).toMatchObject({ takenAtMs: 7, failedAtMs: 6, fault: 'busy', retryAtMs: 0 });
      const [foreign] = await events.states(uuidv7(), [endpointId], 10);
      expect(foreign).toEqual({ endpointId, ...nothing, waiting: 0, oldestAtMs: 0, dropped: 0, droppedAtMs: 0 });
    });

    test('waiting events of the organization are counted up to a bound, those of another listener never', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const endpointId = uuidv7();
      for (const createdAtMs of [30, 40, 50]) {
        const event = eventRow(organizationId, { listenerId: organizationId, endpointId, createdAtMs });
        await store.commit([commitOf(organizationId, { writes: [put.event(event)] })]);
      }
      expect(await store.events.states(organizationId, [endpointId], 10)).toMatchObject([{ waiting: 3, oldestAtMs: 30 }]);
      expect(await store.events.states(organizationId, [endpointId], 2)).toMatchObject([{ waiting: 2, oldestAtMs: 30 }]);
      expect(await store.events.states(uuidv7(), [endpointId], 10)).toMatchObject([{ waiting: 0, oldestAtMs: 0 }]);
    });
  });
}

import { uuidv7 } from 'uuidv7';
import { describe, expect, test } from 'vitest';
import type { Subject } from './describe-store.ts';

/** Events of mails are bounded by number and by age, and belong to one organization. */
export function mailEventsSuite(subject: () => Subject): void {
  describe('events of mails', () => {
    /** Later than the events of other tests. */
    const NOW_MS = 2_000_000_000_000;
    const event = (organizationId: string, fields: object = {}) => ({
      organizationId,
      id: uuidv7(),
      recipient: 'ann',
      eventType: 'Send',
      createdAtMs: NOW_MS,
      body: '{}',
      mac: Uint8Array.of(1),
      ...fields,
    });
    const ids = async (organizationId: string, recipient = 'ann', eventType = '', page = { limit: 100 }) =>
      (await subject().store.mailEvents.page(organizationId, recipient, eventType, page)).map(({ id }) => id);

    test('are those of one organization, recipient and type, newest first', async () => {
      const { mailEvents } = subject().store;
      const [one, other] = [uuidv7(), uuidv7()];
      const events = [event(one), event(one, { eventType: 'Bounce' }), event(one, { recipient: 'bob' }), event(other)];
      for (const each of events) await mailEvents.add(each, 100);
      expect(await mailEvents.page(one, 'ann', '', { limit: 100 })).toEqual([events[1], events[0]]);
      expect(await ids(one, 'ann', 'Bounce')).toEqual([events[1]?.id]);
      expect(await ids(one, 'bob')).toEqual([events[2]?.id]);
      expect(await ids(other)).toEqual([events[3]?.id]);
      expect(await ids(one, 'ann', '', { limit: 1 })).toEqual([events[1]?.id]);
    });

    test('D1006: the oldest events of an organization make room for new ones, and those of others stay', async () => {
      const { mailEvents } = subject().store;
      const [flooded, quiet] = [uuidv7(), uuidv7()];
      const early = event(quiet);
      await mailEvents.add(early, 3);
      const events = Array.from({ length: 7 }, () => event(flooded));
      for (const each of events) await mailEvents.add(each, 3);
      expect(await ids(flooded)).toEqual(
        events
          .slice(-3)
          .map(({ id }) => id)
          .toReversed(),
      );
      expect(await ids(quiet)).toEqual([early.id]);
    });

    test('earlier events are forgotten', async () => {
      const { mailEvents } = subject().store;
      const organizationId = uuidv7();
      const [past, present] = [event(organizationId, { createdAtMs: 999 }), event(organizationId)];
      for (const each of [past, present]) await mailEvents.add(each, 100);
      await mailEvents.sweep(1_000);
      expect(await ids(organizationId)).toEqual([present.id]);
    });
  });
}

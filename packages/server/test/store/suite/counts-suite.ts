import { uuidv7 } from 'uuidv7';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ActivityCountRow } from '../../../src/store/rows.ts';
import type { Store } from '../../../src/store/store.ts';
import type { Subject } from './describe-store.ts';

const row = (organizationId: string, hour: number, amount: number, more: Partial<ActivityCountRow> = {}): ActivityCountRow => ({
  organizationId,
  hour,
  type: 'ACTIVITY_TYPE_SIGN',
  status: 'ACTIVITY_STATUS_COMPLETED',
  amount,
  ...more,
});

const all = { fromHour: 0, beforeHour: 1_000_000, hours: 1, limit: 100 };

/** Every leaf is counted once, whoever counts. The tests share the number of counted leaves, so each moves it on from where it is. */
export function countsSuite(subject: () => Subject): void {
  describe('activity counts', () => {
    let stores: readonly [Store, Store];

    beforeAll(async () => {
      stores = [subject().store, await subject().installation.open()];
    });
    afterAll(() => stores[1].close());
    const store = () => stores[0].counts;

    test('add up by hour, type and status, with the number of leaves of the same instant', async () => {
      const id = uuidv7();
      const from = await store().counted();
      const failed = { status: 'ACTIVITY_STATUS_FAILED' };
      expect(await store().add(from, from + 5, [row(id, 10, 2), row(id, 10, 1, failed), row(id, 34, 1)])).toBe(true);
      expect(await store().add(from + 5, from + 7, [row(id, 10, 2)])).toBe(true);
      expect(await store().sums(id, all)).toEqual({
        leaves: from + 7,
        sums: [row(id, 10, 4), row(id, 10, 1, failed), row(id, 34, 1)].map(({ organizationId: _, ...rest }) => rest),
      });
    });

    test('are added to intervals of several hours, within a range', async () => {
      const id = uuidv7();
      const from = await store().counted();
      await store().add(from, from + 1, [row(id, 23, 1), row(id, 24, 2), row(id, 47, 4), row(id, 48, 8)]);
      const sums = async (fromHour: number, beforeHour: number) =>
        (await store().sums(id, { fromHour, beforeHour, hours: 24, limit: 10 })).sums.map(({ hour, amount }) => [hour, amount]);
      expect(await sums(0, 72)).toEqual([
        [0, 1],
        [24, 6],
        [48, 8],
      ]);
      expect(await sums(24, 48)).toEqual([[24, 6]]);
      expect((await store().sums(id, { fromHour: 0, beforeHour: 72, hours: 24, limit: 2 })).sums).toHaveLength(2);
    });

    test('of leaves that are counted already change nothing', async () => {
      const id = uuidv7();
      const from = await store().counted();
      expect(await store().add(from, from + 1, [row(id, 1, 1)])).toBe(true);
      expect(await store().add(from, from + 1, [row(id, 1, 1)])).toBe(false);
      expect(await store().add(from + 2, from + 3, [row(id, 1, 1)])).toBe(false);
      expect((await store().sums(id, all)).sums.map(({ amount }) => amount)).toEqual([1]);
      expect(await store().counted()).toBe(from + 1);
    });

    test('of two nodes that count the same leaves at once, one is taken', async () => {
      const id = uuidv7();
      for (let round = 0; round < 10; round++) {
        const from = await store().counted();
        const outcomes = await Promise.all(
          [...stores, ...stores].map(({ counts }) => counts.add(from, from + 1, [row(id, 7, 1)])),
        );
        expect(outcomes.filter((taken) => taken)).toHaveLength(1);
      }
      expect((await store().sums(id, all)).sums.map(({ amount }) => amount)).toEqual([10]);
    });

    test('durations add up by interval and bucket, apart from the counts', async () => {
      const [id, other] = [uuidv7(), uuidv7()];
      const duration = (hour: number, bucket: string, amount: number, organizationId = id) => ({
        organizationId,
        hour,
        bucket,
        amount,
      });
      const from = await store().counted();
      await store().add(from, from + 1, [row(id, 30, 1)]);
      await store().addDurations([
        duration(30, '2', 3),
        duration(31, '2', 1),
        duration(31, '64', 1),
        duration(30, '2', 9, other),
      ]);
      await stores[1].counts.addDurations([duration(30, '2', 1), duration(50, 'LONGER', 1)]);
      const durations = (hours: number) => store().durations(id, { fromHour: 24, beforeHour: 48, hours });
      expect(await durations(1)).toEqual([
        { hour: 30, bucket: '2', amount: 4 },
        { hour: 31, bucket: '2', amount: 1 },
        { hour: 31, bucket: '64', amount: 1 },
      ]);
      expect(await durations(24)).toEqual([
        { hour: 24, bucket: '2', amount: 5 },
        { hour: 24, bucket: '64', amount: 1 },
      ]);
      expect(await store().sums(id, all)).toEqual({ leaves: from + 1, sums: [expect.objectContaining({ hour: 30, amount: 1 })] });
    });

    test('of another organization are not among them', async () => {
      const [id, other] = [uuidv7(), uuidv7()];
      const from = await store().counted();
      await store().add(from, from + 2, [row(id, 3, 1), row(other, 3, 5)]);
      expect((await stores[1].counts.sums(id, all)).sums.map(({ amount }) => amount)).toEqual([1]);
    });
  });
}

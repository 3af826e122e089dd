import { uuidv7 } from 'uuidv7';
import { describe, expect, test } from 'vitest';
import type { Subject } from './describe-store.ts';

/** Counters hold limits exactly, on however many nodes. */
export function countersSuite(subject: () => Subject): void {
  describe('counters', () => {
    const counter = (fields: object = {}) => ({ organizationId: uuidv7(), name: 'mails', day: 20_000, ...fields });

    test('a counter starts at nothing, and adds up', async () => {
      const { counters } = subject().store;
      const mails = counter();
      expect(await counters.amount(mails)).toBe(0);
      expect(await counters.add(mails, 2)).toBe(true);
      expect(await counters.add(mails, 3)).toBe(true);
      expect(await counters.add(mails, -1)).toBe(true);
      expect(await counters.amount(mails)).toBe(4);
      for (const other of [{ organizationId: uuidv7() }, { name: 'messages' }, { day: 20_001 }])
        expect(await counters.amount({ ...mails, ...other })).toBe(0);
    });

    test('what would go above the limit is not added, also the first time', async () => {
      const { counters } = subject().store;
      const mails = counter();
      expect(await counters.add(mails, 6, 5)).toBe(false);
      expect(await counters.add(mails, 4, 5)).toBe(true);
      expect(await counters.add(mails, 2, 5)).toBe(false);
      expect(await counters.add(mails, 1, 5)).toBe(true);
      expect(await counters.amount(mails)).toBe(5);
    });

    test('nodes that add at once do not get past the limit between them', async () => {
      const { installation } = subject();
      const mails = counter();
      const nodes = await Promise.all(Array.from({ length: 3 }, () => installation.open()));
      try {
        const added = await Promise.all(
          nodes.flatMap((node) => Array.from({ length: 8 }, () => node.counters.add(mails, 1, 10))),
        );
        expect(added.filter((taken) => taken)).toHaveLength(10);
        expect(await subject().store.counters.amount(mails)).toBe(10);
      } finally {
        await Promise.all(nodes.map((node) => node.close()));
      }
    });

    test('earlier days are forgotten', async () => {
      const { counters } = subject().store;
      const [past, present] = [counter({ day: 19_990 }), counter()];
      await counters.add(past, 1);
      await counters.add(present, 1);
      await counters.sweep(20_000);
      expect([await counters.amount(past), await counters.amount(present)]).toEqual([0, 1]);
    });
  });
}

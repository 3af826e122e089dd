import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCommitQueue } from '../../src/admission/commit-queue.ts';

interface Item {
  readonly flow: string;
  readonly characters: number;
  readonly number: number;
}

const queueOf = (items: readonly Item[]) => {
  const queue = createCommitQueue<Item>((item) => item);
  for (const item of items) queue.push(item);
  return queue;
};

describe('D163: batches of commits', () => {
  test('alternate between organizations', () => {
    const noisy = Array.from({ length: 1000 }, (_, number) => ({ flow: 'noisy', characters: 10, number }));
    const queue = queueOf([...noisy, { flow: 'quiet', characters: 10, number: 0 }]);
    const batch = queue.takeBatch();
    expect(batch).toHaveLength(256);
    expect(batch.slice(0, 2).map(({ flow }) => flow)).toContain('quiet');
  });

  test('large items of one organization do not crowd out others in a batch', () => {
    const large = Array.from({ length: 8 }, (_, number) => ({ flow: 'large', characters: 900_000, number }));
    const queue = queueOf([...large, { flow: 'quiet', characters: 10, number: 0 }]);
    expect(queue.takeBatch().map(({ flow }) => flow)).toEqual(['large', 'quiet']);
    expect(queue.size()).toBe(7);
  });

  test('contain every item once, in order per organization, and are never empty', () => {
    const item = fc.record({ flow: fc.constantFrom('a', 'b', 'c'), characters: fc.constantFrom(1, 500_000, 9_000_000) });
    fc.assert(
      fc.property(fc.array(item, { maxLength: 60 }), (drawn) => {
        const items = drawn.map((each, number) => ({ ...each, number }));
        const queue = queueOf(items);
        const taken: Item[] = [];
        while (queue.size() > 0) {
          const batch = queue.takeBatch();
          expect(batch.length).toBeGreaterThan(0);
          taken.push(...batch);
        }
        for (const flow of ['a', 'b', 'c'])
          expect(taken.filter((each) => each.flow === flow)).toEqual(items.filter((each) => each.flow === flow));
      }),
    );
  });
});

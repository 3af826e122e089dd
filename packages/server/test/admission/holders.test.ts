import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Holders } from '../../src/admission/holders.ts';

test('the holder with the most items at each level loses its oldest', () => {
  const holders = new Holders<string>();
  for (const [path, item] of [
    [['a', 'x'], 'ax1'],
    [['a', 'y'], 'ay1'],
    [['b', 'x'], 'bx1'],
    [['a', 'y'], 'ay2'],
  ] as const)
    holders.add(path, item);
  expect(holders.largest()).toBe('ay1');
  holders.renew('ay1');
  expect(holders.largest()).toBe('ay2');
  holders.delete('ay2');
  expect(holders.largest()).toBe('ax1');
  holders.delete('ax1');
  holders.delete('ay1');
  expect([holders.largest(), holders.size]).toEqual(['bx1', 1]);
  holders.delete('bx1');
  expect([holders.largest(), holders.size]).toEqual([undefined, 0]);
});

test('agrees with counting all items', () => {
  const step = fc.record({
    path: fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('x', 'y')),
    item: fc.nat(12),
    isAdded: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const holders = new Holders<number>();
      const held = new Map<number, readonly [string, string]>();
      for (const { path, item, isAdded } of steps) {
        held.delete(item);
        if (isAdded) {
          held.set(item, path);
          holders.add(path, item);
        } else holders.delete(item);
        expect(holders.size).toBe(held.size);
        const largest = holders.largest();
        if (largest === undefined) expect(held.size).toBe(0);
        else expect(isOldestOfLargest(held, largest)).toBe(true);
      }
    }),
  );
});

function isOldestOfLargest(held: ReadonlyMap<number, readonly [string, string]>, item: number): boolean {
  const [outer, inner] = held.get(item) as readonly [string, string];
  const countOf = (name: string) => [...held.values()].filter(([first]) => first === name).length;
  const countIn = (name: string) => [...held.values()].filter(([first, second]) => first === outer && second === name).length;
  const isLargest = ['a', 'b', 'c'].every((name) => countOf(name) <= countOf(outer));
  const isLargestInside = ['x', 'y'].every((name) => countIn(name) <= countIn(inner));
  const oldest = [...held].find(([, [first, second]]) => first === outer && second === inner)?.[0];
  return isLargest && isLargestInside && oldest === item;
}

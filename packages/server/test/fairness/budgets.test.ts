import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createByteBudget } from '../../src/fairness/byte-budget.ts';
import { createConnectionLimit } from '../../src/fairness/connection-limit.ts';
import { SlowBodies } from '../../src/fairness/slow-bodies.ts';

describe('D166: bytes that clients make the server hold', () => {
  test('beyond the bound, the address that holds most gives up its oldest', () => {
    const gone: string[] = [];
    const budget = createByteBudget(100);
    const hold = (address: string, name: string, bytes: number) => {
      const held = budget.hold(address, () => gone.push(name));
      held.add(bytes);
      return held;
    };
    hold('attacker', 'a1', 30);
    hold('attacker', 'a2', 30);
    const mine = hold('customer', 'c1', 35);
    expect(gone).toEqual([]);
    mine.add(20);
    expect(gone).toEqual(['a1']);
    expect(budget.held()).toBe(85);
  });

  test('what was given up counts no longer, however much of it still arrives', () => {
    let calls = 0;
    const budget = createByteBudget(10);
    const held = budget.hold('a', () => calls++);
    held.add(11);
    held.add(1000);
    held.release();
    expect([calls, budget.held()]).toEqual([1, 0]);
  });

  test('the sum never stays above the bound, and returns to nothing', () => {
    const step = fc.record({ address: fc.constantFrom('a', 'b', 'c'), bytes: fc.nat(60) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const budget = createByteBudget(100);
        const all = steps.map(({ address, bytes }) => {
          const held = budget.hold(address, () => {});
          held.add(bytes);
          expect(budget.held()).toBeLessThanOrEqual(100);
          return held;
        });
        for (const held of all) held.release();
        expect(budget.held()).toBe(0);
      }),
    );
  });

  test('a body that comes a byte now and then is given up, a steady one is not', () => {
    let now = 0;
    const bodies = new SlowBodies(() => now);
    const gone: string[] = [];
    const slow = bodies.watch(() => gone.push('slow'));
    const steady = bodies.watch(() => gone.push('steady'));
    now = 4_000;
    bodies.check();
    expect(gone).toEqual([]);
    now = 6_000;
    slow.receivedBytes = 100;
    steady.receivedBytes = 100_000;
    bodies.check();
    expect(gone).toEqual(['slow']);
    bodies.done(slow);
    bodies.done(steady);
  });
});

describe('D167: connections', () => {
  test('one address has so many, others are served, and an end makes room', () => {
    const limit = createConnectionLimit(2, 3);
    const first = limit.open('a');
    expect(limit.open('a')).toBeDefined();
    expect(limit.open('a')).toBeUndefined();
    expect(limit.open('b')).toBeDefined();
    expect(limit.open('c')).toBeUndefined();
    first?.();
    expect(limit.open('a')).toBeDefined();
  });
});

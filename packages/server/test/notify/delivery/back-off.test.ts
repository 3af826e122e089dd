import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backOffMs } from '../../../src/notify/delivery/back-off.ts';

test('waits at least half a second, doubles, and never waits longer than five minutes', () => {
  expect([1, 2, 3, 9, 10, 1000].map((attempts) => backOffMs(attempts, () => 1))).toEqual([
    1000, 2000, 4000, 256_000, 300_000, 300_000,
  ]);
  expect(backOffMs(1, () => 0)).toBe(500);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), (attempts) => {
      const ms = backOffMs(attempts);
      expect(ms).toBeGreaterThanOrEqual(500);
      expect(ms).toBeLessThanOrEqual(300_000);
    }),
  );
});

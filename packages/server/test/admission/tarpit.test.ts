import { expect, test } from 'vitest';
import { createTarpit } from '../../src/admission/tarpit.ts';

function countImmediate(times: number, reject: () => unknown): number {
  return Array.from({ length: times }, reject).filter((delay) => delay === undefined).length;
}

test('D251: delays rejections of an address that had many, and not those of others', async () => {
  const clock = { nowMs: 0 };
  const waits: number[] = [];
  const tarpit = createTarpit(
    () => clock.nowMs,
    async (ms) => waits.push(ms),
  );
  expect(countImmediate(100, () => tarpit('attacker'))).toBe(100);
  expect(waits).toEqual([]);
  await tarpit('attacker');
  expect(waits).toEqual([100]);
  expect(tarpit('customer')).toBeUndefined();
  clock.nowMs += 1_000;
  expect(countImmediate(100, () => tarpit('attacker'))).toBe(20);
});

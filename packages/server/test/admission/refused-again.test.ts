import { describe, expect, test } from 'vitest';
import { createNewcomers } from '../../src/admission/accept-burst.ts';
import { createLateRefusals } from '../../src/admission/tarpit.ts';

function count(times: number, isSo: () => boolean): number {
  return Array.from({ length: times }, isSo).filter(Boolean).length;
}

describe('D244: whose connections others wait for', () => {
  test('a pool that opens all its connections, and then a few in each second', () => {
    const clock = { nowMs: 0 };
    const isNewcomer = createNewcomers(() => clock.nowMs);
    expect(count(1_000, () => isNewcomer('attacker'))).toBe(300);
    expect(count(128, () => isNewcomer('customer'))).toBe(128);
    clock.nowMs += 1_000;
    expect(count(1_000, () => isNewcomer('attacker'))).toBe(20);
  });
});

describe('D251: requests that are refused before their bodies are read', () => {
  test('are answered at once, until an address has too many of them', async () => {
    const clock = { nowMs: 0 };
    const waits: number[] = [];
    const late = createLateRefusals(
      () => clock.nowMs,
      async (ms) => waits.push(ms),
    );
    expect(count(100, () => late('attacker') === undefined)).toBe(100);
    expect(waits).toEqual([]);
    await late('attacker');
    expect(waits).toEqual([100]);
    expect(late('customer')).toBeUndefined();
    clock.nowMs += 1_000;
    expect(count(100, () => late('attacker') === undefined)).toBe(20);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { failedAgain, isForgiven, takenBack, toForget, waitsUntilMs } from '../../../src/auth/otp/wrong-tries.ts';

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;

type Level = ReturnType<typeof failedAgain>;

/** The tries of somebody who tries again at the first moment that is allowed, by time. */
function greedy(days: number): number[] {
  const tries: number[] = [];
  let kept: Level | undefined;
  for (let nowMs = 0; nowMs < days * DAY; nowMs = Math.max(nowMs, waitsUntilMs(kept as Level))) {
    tries.push(nowMs);
    kept = failedAgain(kept, nowMs);
  }
  return tries;
}

/** The most tries within any 24 hours. */
const busiestDay = (tries: readonly number[]) =>
  Math.max(...tries.map((from) => tries.filter((at) => at >= from && at < from + DAY).length));

/** That one try finds a code of six digits. */
const CHANCE = 1 / 10 ** 6;

describe('A10: the budget of a guesser', () => {
  test('6 digits: 21 tries in the best day, fewer than 400 in a year', () => {
    const year = greedy(365);
    expect(busiestDay(year)).toBe(21);
    expect(busiestDay(year) * CHANCE).toBeLessThan(2.2e-5);
    expect(year.length).toBeLessThan(400);
  });

  test('pauses do not pay: whatever the pattern, no more than 22 tries and one for each day', () => {
    const pauses = fc.array(fc.integer({ min: 0, max: 20 * DAY }), { minLength: 30, maxLength: 120 });
    fc.assert(
      fc.property(pauses, (waits) => {
        let kept: Level | undefined;
        let nowMs = 0;
        let tries = 0;
        for (const pauseMs of waits) {
          nowMs = Math.max(nowMs + pauseMs, kept === undefined ? 0 : waitsUntilMs(kept));
          kept = failedAgain(kept, nowMs);
          tries += 1;
          expect(tries).toBeLessThanOrEqual(22 + Math.ceil(nowMs / DAY));
        }
      }),
    );
  });

  test('nine tries are free, then each wait is twice the one before, up to a day', () => {
    let kept: Level | undefined;
    const waits: number[] = [];
    for (let tries = 0; tries < 40; tries++) {
      kept = failedAgain(kept, 0);
      waits.push(waitsUntilMs(kept) / 1000);
    }
    expect(waits.slice(0, 12)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 15, 30, 60, 120]);
    expect(Math.max(...waits)).toBe(DAY / 1000);
  });
});

test('tries that are some time apart wait as those at once do', () => {
  let kept: Level | undefined;
  for (let tries = 0; tries < 8; tries++) kept = failedAgain(kept, tries * HOUR);
  expect(waitsUntilMs(kept as Level)).toBe(7 * HOUR);
  kept = failedAgain(kept, 8 * HOUR);
  expect(waitsUntilMs(kept) - 8 * HOUR).toBeGreaterThan(10_000);
});

describe('wrong tries', () => {
  const times = (count: number, atMs = 0) => {
    let kept: Level | undefined;
    for (let tries = 0; tries < count; tries++) kept = failedAgain(kept, atMs);
    return kept as Level;
  };

  test('are forgiven one each day', () => {
    expect(isForgiven(times(2), 2 * DAY - 1)).toBe(false);
    expect(isForgiven(times(2), 2 * DAY)).toBe(true);
    expect(failedAgain(times(3), 2 * DAY).level).toBe(2);
  });

  test('that were made with the code that was then typed right are taken back, and no others', () => {
    const attacked = times(9);
    const own = failedAgain(failedAgain(attacked, HOUR), HOUR);
    expect(takenBack(own, 2).level).toBeCloseTo(9, 1);
    expect(takenBack(times(1), 2).level).toBe(0);
  });

  test('do not count for less where the clock went back', () => {
    expect(failedAgain(times(5, 10 * DAY), DAY).level).toBe(6);
  });

  test('of a contact under attack are the last to be forgotten for want of room', () => {
    const kept = new Map([
      ['victim', times(12)],
      ...Array.from({ length: 9 }, (_, at): [string, Level] => [`other ${at}`, times(1, at)]),
    ]);
    expect(toForget(kept, 11, 500, 0)).toEqual([]);
    expect(toForget(kept, 10, 500, 0)).toHaveLength(1);
    expect(toForget(kept, 2, 500, 0)).not.toContain('victim');
    expect(toForget(kept, 10, 500, 2 * DAY)).toHaveLength(9);
  });
});

import { countsUntil, windowStart } from '@countersign/judgement';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { control } from '../support/controls-world.ts';

type Unit = 'DAY' | 'WEEK' | 'MONTH';

const calendar = (unit: Unit, timeZone: string) =>
  control({}, { window: { calendar: { unit: `VELOCITY_CONTROL_CALENDAR_UNIT_${unit}`, timeZone } } });

/** The first millisecond of the period that contains a time. */
function startOf(unit: Unit, timeZone: string, at: string): string {
  const cutoff = windowStart(calendar(unit, timeZone), Date.parse(at));
  return new Date((cutoff ?? 0) + 1).toISOString();
}

/** The local date, from an independent formatter. */
function localDate(timeZone: string, ms: number): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(ms);
}

/** The name of the period that contains a time: its first day. */
function periodName(unit: Unit, timeZone: string, ms: number): string {
  const date = localDate(timeZone, ms);
  if (unit === 'DAY') return date;
  if (unit === 'MONTH') return date.slice(0, 7);
  const day = new Date(`${date}T00:00:00Z`);
  return new Date(day.getTime() - ((day.getUTCDay() + 6) % 7) * 86_400_000).toISOString().slice(0, 10);
}

describe('windows of controls', () => {
  test('a rolling window ends where what was counted is exactly as old as the window', () => {
    const daily = control();
    expect(windowStart(daily, 100_000_000)).toBe(100_000_000 - 86_400_000);
    expect(countsUntil(daily, 5)).toBe(5 + 86_400_000);
  });

  test('an infinite window has no start and no end', () => {
    const ever = control({}, { window: { infinite: {} } });
    expect([windowStart(ever, 5), countsUntil(ever, 5)]).toEqual([undefined, undefined]);
  });

  test.each([
    ['DAY', 'Europe/Zurich', '2026-11-15T22:59:59.999Z', '2026-11-14T23:00:00.000Z'],
    ['DAY', 'Europe/Zurich', '2026-11-15T23:00:00.000Z', '2026-11-15T23:00:00.000Z'],
    ['WEEK', 'UTC', '2026-11-15T12:00:00.000Z', '2026-11-09T00:00:00.000Z'],
    ['WEEK', 'UTC', '2026-11-16T00:00:00.000Z', '2026-11-16T00:00:00.000Z'],
    ['MONTH', 'America/New_York', '2026-03-31T23:59:00.000Z', '2026-03-01T05:00:00.000Z'],
    ['MONTH', 'America/New_York', '2026-04-01T03:59:59.000Z', '2026-03-01T05:00:00.000Z'],
    ['MONTH', 'Asia/Kathmandu', '2026-01-31T18:15:00.000Z', '2026-01-31T18:15:00.000Z'],
  ] as const)('the %s in %s at %s began at %s', (unit, zone, at, start) => {
    expect(startOf(unit, zone, at)).toBe(start);
  });

  test('days with a change of the clocks have 23 and 25 hours', () => {
    const zurich = calendar('DAY', 'Europe/Zurich');
    const lengthOf = (at: string) => {
      const ms = Date.parse(at);
      return ((countsUntil(zurich, ms) ?? 0) - (windowStart(zurich, ms) ?? 0) - 1) / 3_600_000;
    };
    expect([lengthOf('2026-03-29T12:00:00Z'), lengthOf('2026-10-25T12:00:00Z')]).toEqual([23, 25]);
  });

  test('a day whose midnight the clocks skip begins where they go on', () => {
    // Beirut went from 2026-03-29 00:00 to 01:00, which is 22:00 UTC on the day before.
    expect(startOf('DAY', 'Asia/Beirut', '2026-03-29T12:00:00Z')).toBe('2026-03-28T22:00:00.000Z');
    // Samoa skipped the whole of 2011-12-30.
    expect(startOf('DAY', 'Pacific/Apia', '2011-12-30T12:00:00Z')).toBe('2011-12-30T10:00:00.000Z');
  });

  test('where clocks show midnight twice, the day begins at the first, so that nothing frees up early', () => {
    // Havana went from 01:00 back to 00:00 on 2026-11-01: midnight was at 04:00 and at 05:00 UTC.
    expect(startOf('DAY', 'America/Havana', '2026-11-01T20:00:00Z')).toBe('2026-11-01T04:00:00.000Z');
  });

  const zones = [
    'UTC',
    'Europe/Zurich',
    'America/New_York',
    'Asia/Kolkata',
    'Australia/Lord_Howe',
    'America/Sao_Paulo',
    'Asia/Beirut',
  ];

  test('a period holds exactly the times with its local date, in every zone', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<Unit>('DAY', 'WEEK', 'MONTH'),
        fc.constantFrom(...zones),
        fc.integer({ min: Date.UTC(2015, 0, 1), max: Date.UTC(2035, 0, 1) }),
        (unit, zone, nowMs) => {
          const period = calendar(unit, zone);
          const start = (windowStart(period, nowMs) ?? 0) + 1;
          const end = countsUntil(period, nowMs) ?? 0;
          expect(start).toBeLessThanOrEqual(nowMs);
          expect(end).toBeGreaterThan(nowMs);
          const name = periodName(unit, zone, nowMs);
          for (const inside of [start, end - 1, Math.floor((start + end) / 2)]) expect(periodName(unit, zone, inside)).toBe(name);
          expect(periodName(unit, zone, start - 1) < name).toBe(true);
          expect(periodName(unit, zone, end) > name).toBe(true);
          // The next period begins at the end of this one, without a gap.
          expect((windowStart(period, end) ?? 0) + 1).toBe(end);
        },
      ),
    );
  });
});

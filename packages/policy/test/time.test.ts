import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileExpression, evaluateExpression } from '../src/expression.ts';

const MINUTE = 60_000;
const zones = [
  'UTC',
  'America/New_York',
  'Europe/London',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'America/Sao_Paulo',
  'Africa/Casablanca',
];

const part = (low: number, high: number) =>
  fc.oneof(
    fc.constant('*'),
    fc.integer({ min: low, max: high }).map(String),
    fc
      .tuple(fc.integer({ min: low, max: high }), fc.integer({ min: low, max: high }))
      .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
  );

describe('CronSpan', () => {
  test('agrees with looking at the clock on the wall for every single minute', () => {
    const cron = fc.tuple(part(0, 59), part(0, 23), part(1, 31), part(1, 12), part(0, 6));
    // Around the offset changes of 2026 in both hemispheres.
    const near = fc.constantFrom(
      '2026-03-08T07:00:00Z',
      '2026-11-01T06:00:00Z',
      '2026-03-29T01:00:00Z',
      '2026-04-04T15:00:00Z',
      '2026-10-03T15:30:00Z',
      '2026-06-15T00:00:00Z',
    );
    const now = fc
      .tuple(near, fc.integer({ min: -2_000, max: 2_000 }), fc.integer({ min: 0, max: 59_999 }))
      .map(([day, minutes, rest]) => Date.parse(day) + minutes * MINUTE + rest);
    fc.assert(
      fc.property(cron, fc.integer({ min: 1, max: 1_500 }), fc.constantFrom(...zones), now, (fields, duration, zone, instant) => {
        const text = `CronSpan('${fields.join(' ')}', '${duration}m', '${zone}')`;
        expect(evaluateAt(text, instant)).toBe(slowContains(fields, duration, zone, instant));
      }),
      { numRuns: 40 },
    );
  });

  test('the answer does not depend on what was asked before', () => {
    const { expression } = compileExpression("CronSpan('0 9 * * *', '1h', 'UTC')", 'time');
    const at = (text: string) => expression && evaluateExpression(expression, new Map([['time.now', BigInt(Date.parse(text))]]));
    expect([
      at('2026-03-02T09:30:00Z'),
      at('2026-03-02T10:30:00Z'),
      at('2026-03-02T09:30:30Z'),
      at('2026-03-01T09:59:59Z'),
    ]).toEqual([true, false, true, true]);
  });

  test('names of zones are matched as the platform does, and offsets are not names', () => {
    for (const zone of ['Etc/GMT+5', 'America/Port-au-Prince', 'america/new_york']) {
      expect(compileExpression(`CronSpan('0 9 * * *', '1h', '${zone}')`, 'time').diagnostics).toEqual([]);
    }
    for (const zone of ['', '+01:00', '-08', 'Europe/', '../etc', 'UTC ']) {
      expect(compileExpression(`CronSpan('0 9 * * *', '1h', '${zone}')`, 'time').diagnostics.map(({ code }) => code)).toEqual([
        'INVALID_TIME_ZONE',
      ]);
    }
  });
});

function evaluateAt(text: string, instant: number): unknown {
  const { expression } = compileExpression(text, 'time');
  return expression && evaluateExpression(expression, new Map([['time.now', BigInt(instant)]]));
}

/** Checks each minute back from now, with the wall clock of the platform. */
function slowContains(fields: readonly string[], duration: number, zone: string, instant: number): boolean {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    weekday: 'short',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const [minute, hour, day, month, weekday] = fields as [string, string, string, string, string];
  for (let back = 0; back < duration; back += 1) {
    const parts = Object.fromEntries(
      format.formatToParts((Math.floor(instant / MINUTE) - back) * MINUTE).map(({ type, value }) => [type, value]),
    );
    const dayOfMonth = within(day, Number(parts.day));
    const dayOfWeek = within(weekday, ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'].indexOf(parts.weekday as string));
    const dayMatches = day !== '*' && weekday !== '*' ? dayOfMonth || dayOfWeek : dayOfMonth && dayOfWeek;
    if (
      dayMatches &&
      within(minute, Number(parts.minute)) &&
      within(hour, Number(parts.hour)) &&
      within(month, Number(parts.month))
    )
      return true;
  }
  return false;
}

function within(field: string, value: number): boolean {
  if (field === '*') return true;
  const [low, high] = field.split('-').map(Number) as [number, number | undefined];
  return value >= low && value <= (high ?? low);
}

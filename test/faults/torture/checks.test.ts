import { describe, expect, test } from 'vitest';
import { type Findings, isSound, nothingBroken } from './fault.ts';
import { faults } from './faults/index.ts';
import { checkOrder } from './support/order.ts';
import { putBetweenMarkers } from './support/page.ts';
import { renderMarkdown, renderText } from './support/report.ts';
import { timesOf } from './support/times.ts';

describe('the order of acknowledgements', () => {
  const placed = (name: string, place: number, sentMs: number, acknowledgedMs?: number) => ({
    name,
    place,
    sentMs,
    ...(acknowledgedMs !== undefined && { acknowledgedMs }),
  });

  test('those that overlap may stand in either order, and so may one that nobody was told of', () => {
    expect(checkOrder([placed('b', 0, 5, 20), placed('a', 1, 0, 10), placed('c', 2, 0)])).toEqual([]);
  });

  test('one that was acknowledged before another was sent stands before it, however many stand between them', () => {
    expect(checkOrder([placed('b', 0, 11, 20), placed('x', 1, 3, 30), placed('a', 2, 0, 10)])).toEqual([
      'a was acknowledged before b was sent, and stands behind it in the log',
    ]);
  });
});

describe('the times of a round', () => {
  const seen = (endMs: number, status: number) => ({ sentMs: endMs - 1, endMs, status });

  test('are those that clients saw', () => {
    const sightings = [seen(90, 200), seen(130, 0), seen(120, 503), seen(260, 403), seen(270, 200)];
    expect(timesOf(sightings, 100, 250)).toEqual({ firstRefusalMs: 20, withoutServiceMs: 170, recoveryMs: 10 });
  });

  test('a refusal for what was asked is none of the service, and without an answer there is no recovery', () => {
    expect(timesOf([seen(90, 200), seen(120, 400)], 100, 110)).toEqual({});
  });
});

describe('the report', () => {
  const findings: Findings = {
    rounds: 2,
    bodies: 10,
    acknowledged: 9,
    broken: { ...nothingBroken(), lost: ['one'] },
    times: [{ recoveryMs: 1_500 }, { recoveryMs: 2_500 }],
    notes: ['a note'],
  };
  const report = {
    date: '2026-01-01',
    machine: 'a machine',
    command: 'npm run torture',
    rows: [
      { name: 'kill', title: 'kill it', store: 'sqlite' as const, findings },
      { name: 'kill', title: 'kill it', store: 'postgres' as const, skipped: 'no server' },
    ],
  };

  test('shows every case and every note, and what did not run', () => {
    expect(isSound(findings)).toBe(false);
    expect(renderText(report)).toContain('kill on sqlite: lost: one');
    const page = renderMarkdown(report);
    expect(page).toContain('| kill | sqlite | 2 | 10 | 9 | 1 | 0 | 0 | 0 | 0 | - | - | 2.50 (2.50) s |');
    expect(page).toContain('  - sqlite: a note');
    expect(page).toContain('  - postgres: not run: no server');
  });

  test('takes the place of the earlier one in the page, and nothing else', () => {
    const page = 'before\n<!-- torture: begin -->\nold\n<!-- torture: end -->\nafter\n';
    expect(putBetweenMarkers(page, 'new')).toBe('before\n<!-- torture: begin -->\n\nnew\n\n<!-- torture: end -->\nafter\n');
    expect(() => putBetweenMarkers('nothing', 'new')).toThrow('the page needs the lines');
  });

  test('every fault has a name of its own and a store', () => {
    expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length);
    expect(faults.every(({ stores, rounds }) => stores.length > 0 && rounds > 0)).toBe(true);
  });
});

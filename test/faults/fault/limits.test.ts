import { describe, expect, test } from 'vitest';
import { engines } from '../../support/installation.ts';
import { startPostgres } from '../../support/postgres.ts';
import { createDatabase } from '../../support/postgres-database.ts';
import { openRawPostgres, type RawDatabase } from '../../support/raw-database.ts';
import { renderLimits, runLimits } from './support/limits-campaign.ts';
import { checkLimits, type Limit, noViolations, type Spend, type StoredSpend } from './support/limits-checker.ts';
import { placeOf } from './support/serving.ts';

const short = { rounds: 10, killEvery: 4, restartEvery: 7 };

describe('limits under kills, clock steps and restarts', () => {
  test('D132: two servers on one SQLite file never release more than the limits allow, and lose nothing', async () => {
    const installation = await engines.sqlite();
    try {
      const report = await runLimits({ place: placeOf(installation), ...short });
      expect(report.violations, renderLimits([['sqlite', report]])).toEqual(noViolations());
      expect(report).toMatchObject({ restarts: 1, requests: 120 });
      expect(report.kills).toBeGreaterThanOrEqual(3);
      expect(report.released).toBeGreaterThan(10);
      expect(report.denied).toBeGreaterThan(10);
    } finally {
      await installation.remove();
    }
  }, 240_000);

  test('D132: two servers on one PostgreSQL never release more than the limits allow, and lose nothing', async () => {
    const server = await startPostgres();
    const { url: databaseUrl } = await createDatabase(server.url);
    const installation = await engines.sqlite();
    let opened: RawDatabase | undefined;
    const raw = async () => {
      opened = await openRawPostgres(databaseUrl);
      return opened;
    };
    const place = { ...placeOf(installation), engine: 'postgres' as const, databaseUrl, raw };
    try {
      const restartDatabase = () => server.crash().then(server.restart);
      const report = await runLimits({ place, ...short, restartDatabase });
      expect(report.violations, renderLimits([['postgres', report]])).toEqual(noViolations());
      expect(report).toMatchObject({ restarts: 1, requests: 120 });
      expect(report.kills).toBeGreaterThanOrEqual(1);
      expect(report.released).toBeGreaterThan(10);
    } finally {
      await opened?.close();
      await installation.remove();
      await server.stop();
    }
  }, 240_000);
});

describe('the checker of limits', () => {
  const limits: readonly Limit[] = [{ controlId: 'c', threshold: 10n, windowMs: 100 }];
  const spend = (name: string, amount: bigint): Spend => ({ fingerprint: name, amount, released: `sig ${name}` });
  const stored = (name: string): [string, StoredSpend] => [
    name,
    { id: `id ${name}`, status: 'ACTIVITY_STATUS_COMPLETED', signature: `sig ${name}` },
  ];
  const point = (revision: number, atMs: number, total: bigint, name: string) => ({
    bucket: 'c/0/organization/',
    revision,
    atMs,
    total,
    activityId: `id ${name}`,
  });
  const spends = [spend('a', 6n), spend('b', 4n), spend('d', 6n)];
  const kept = spends.map(({ fingerprint }) => stored(fingerprint));
  const points = [point(1, 0, 6n, 'a'), point(2, 50, 10n, 'b'), point(3, 100, 16n, 'd')];
  const check = (...given: Partial<[typeof spends, typeof kept, typeof points]>) =>
    checkLimits(given[0] ?? spends, new Map(given[1] ?? kept), given[2] ?? points, limits);

  test('finds nothing in a history that keeps to the limit, exactly at the edge of the window', () => {
    expect(check()).toEqual(noViolations());
  });

  test.each([
    [
      'overshoot',
      'a count that is in the window by one millisecond',
      [undefined, undefined, [points[0], points[1], { ...points[2], atMs: 99 }]],
    ],
    ['undercount', 'a release that was not counted', [undefined, undefined, points.slice(0, 2)]],
    ['undercount', 'a count of another amount', [undefined, undefined, [points[0], points[1], { ...points[2], total: 15n }]]],
    ['undercount', 'a count twice', [undefined, undefined, [...points, point(4, 300, 22n, 'd')]]],
    ['acknowledgedLost', 'an answer that is not stored', [undefined, kept.slice(0, 2)]],
    [
      'acknowledgedLost',
      'an answer with another signature',
      [undefined, [...kept.slice(0, 2), ['d', { ...stored('d')[1], signature: 'x' }]]],
    ],
    ['others', 'a revision that is missing', [undefined, undefined, [points[0], points[1], { ...points[2], revision: 4 }]]],
    ['others', 'a time that goes back', [undefined, undefined, [{ ...points[0], atMs: 60 }, points[1], points[2]]]],
    ['others', 'an activity that nobody sent', [undefined, [...kept, stored('x')]]],
  ] as const)('finds as %s: %s', (kind, _what, given) => {
    expect(check(...(given as unknown as Parameters<typeof check>))[kind].length).toBeGreaterThan(0);
  });
});

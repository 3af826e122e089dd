import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addTo, bucketOf, createLatencyRecorder, percentilesOf } from '../../src/statistics/latency-recorder.ts';
import type { DurationRow } from '../../src/store/count-store.ts';

const HOUR_MS = 3_600_000;

function histogramOf(durations: readonly number[]): Map<string, number> {
  const histogram = new Map<string, number>();
  for (const each of durations) addTo(histogram, bucketOf(each), 1);
  return histogram;
}

/** A store that keeps what it is given, and fails when told to. */
function storeOf(rows: DurationRow[][], fails = () => false) {
  const addDurations = async (given: readonly DurationRow[]) => {
    if (fails()) throw new Error('no database');
    rows.push([...given]);
  };
  return { counts: { addDurations } } as unknown as Parameters<ReturnType<typeof createLatencyRecorder>['write']>[0];
}

test('a percentile is a bound that so many kept, and at most half as long again, or a millisecond more', () => {
  const durations = fc.array(fc.double({ min: 0, max: 2_000, noNaN: true }), { minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(durations, (all) => {
      const { count, medianMs, p99Ms } = percentilesOf(histogramOf(all));
      expect(count).toBe(all.length);
      const sorted = all.toSorted((a, b) => a - b);
      for (const [bound, percent] of [
        [medianMs, 50],
        [p99Ms, 99],
      ] as const) {
        const real = sorted[Math.ceil((all.length * percent) / 100) - 1] ?? 0;
        expect(bound).toBeGreaterThanOrEqual(real);
        expect(bound).toBeLessThanOrEqual(Math.max(real * 1.5, real + 1));
      }
    }),
  );
});

test.each([
  [[], { count: 0, medianMs: undefined, p99Ms: undefined }],
  [[20_000], { count: 1, medianMs: undefined, p99Ms: undefined }],
  [[0.2, 0.3, 20_000], { count: 3, medianMs: 1, p99Ms: undefined }],
  [[16_384], { count: 1, medianMs: 16_384, p99Ms: 16_384 }],
])('of %j are %o', (durations, expected) => {
  expect(percentilesOf(histogramOf(durations))).toEqual(expected);
});

test('a bucket that a changed database names adds nothing', () => {
  const histogram = histogramOf([2]);
  for (const bucket of ['5', '', '__proto__', 'Infinity']) addTo(histogram, bucket, 1_000);
  expect(percentilesOf(histogram)).toEqual({ count: 1, medianMs: 2, p99Ms: 2 });
});

test('notes are kept by organization, hour and bucket, and written once', async () => {
  let nowMs = 5 * HOUR_MS;
  const recorder = createLatencyRecorder({ nowMs: () => nowMs });
  for (const milliseconds of [2, 2, 7]) recorder.record('b', milliseconds);
  recorder.record('a', 1);
  nowMs += HOUR_MS;
  recorder.record('b', 2);
  const row = (organizationId: string, hour: number, bucket: string, amount: number) => ({
    organizationId,
    hour,
    bucket,
    amount,
  });
  const ofB = [row('b', 5, '2', 2), row('b', 5, '8', 1), row('b', 6, '2', 1)];
  expect(recorder.unwritten('b')).toEqual(ofB);
  const written: DurationRow[][] = [];
  await recorder.write(storeOf(written));
  expect(written).toEqual([[row('a', 5, '1', 1), ...ofB]]);
  expect(recorder.unwritten('b')).toEqual([]);
  await recorder.write(storeOf(written));
  expect(written).toHaveLength(1);
});

test('however many organizations there are, memory and one transaction stay small', async () => {
  const recorder = createLatencyRecorder({ nowMs: () => 0 }, 600);
  for (let count = 0; count < 2_000; count++) recorder.record(`organization ${count}`, 1);
  // A bucket that already has a row still counts.
  recorder.record('organization 0', 1);
  const written: DurationRow[][] = [];
  await recorder.write(storeOf(written));
  expect(written.map(({ length }) => length)).toEqual([250, 250, 100]);
  expect(written.flat().find(({ organizationId }) => organizationId === 'organization 0')?.amount).toBe(2);
  recorder.record('organization 1999', 1);
  expect(recorder.unwritten('organization 1999')).toHaveLength(1);
});

test('a failed write is not repeated, and the next one is taken', async () => {
  let fails = true;
  const written: DurationRow[][] = [];
  const recorder = createLatencyRecorder({ nowMs: () => 0 });
  const store = storeOf(written, () => fails);
  recorder.record('a', 1);
  await expect(recorder.write(store)).rejects.toThrow('no database');
  fails = false;
  recorder.record('a', 3);
  await recorder.write(store);
  expect(written.flat().map(({ bucket }) => bucket)).toEqual(['3']);
});

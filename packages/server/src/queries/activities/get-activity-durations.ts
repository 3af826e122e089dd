import { queries } from '@countersign/contract';
import { resolve } from '../../pipeline/query.ts';
import { addTo, type DurationHistogram, percentilesOf } from '../../statistics/latency-recorder.ts';
import { readIntervals } from './intervals.ts';

const HOUR_MS = 3_600_000;

export const getActivityDurations = resolve(queries.getActivityDurations, async (context, input) => {
  const { store, organization, latencies, nowMs } = context;
  const { fromHour, beforeHour, hours } = readIntervals(input, nowMs);
  const stored = await store.counts.durations(organization.id, { fromHour, beforeHour, hours });
  const recent = latencies.unwritten(organization.id).filter(({ hour }) => hour >= fromHour && hour < beforeHour);
  const byStart = new Map<number, Map<string, number>>();
  const all = new Map<string, number>();
  for (const { hour, bucket, amount } of [...stored, ...recent]) {
    const start = Math.floor(hour / hours) * hours;
    const own = byStart.get(start) ?? new Map<string, number>();
    byStart.set(start, own);
    for (const histogram of [own, all]) addTo(histogram, bucket, amount);
  }
  return {
    intervals: [...byStart]
      .sort(([a], [b]) => a - b)
      .map(([start, histogram]) => ({ startMs: String(start * HOUR_MS), ...show(histogram) })),
    overall: show(all),
  };
});

function show(histogram: DurationHistogram) {
  const { count, medianMs, p99Ms } = percentilesOf(histogram);
  return {
    count: String(count),
    ...(medianMs !== undefined && { medianMs: String(medianMs) }),
    ...(p99Ms !== undefined && { p99Ms: String(p99Ms) }),
  };
}

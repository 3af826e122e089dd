import type { Client } from '@countersign/client';

export type Counts = Awaited<ReturnType<Client['getActivityCounts']>>['counts'];

/** Parts of a bar, from the bottom. */
export const series = ['completed', 'rejected', 'failed'] as const;
export type Series = (typeof series)[number];

const seriesOf: Readonly<Record<string, Series>> = {
  ACTIVITY_STATUS_COMPLETED: 'completed',
  ACTIVITY_STATUS_REJECTED: 'rejected',
  ACTIVITY_STATUS_FAILED: 'failed',
};

export interface Plotted {
  /** Starts of the intervals, in milliseconds since 1970. */
  readonly times: readonly number[];
  readonly lines: Readonly<Record<Series, readonly number[]>>;
}

/** Counts by interval, with zeros for empty intervals. */
export function plotted(
  counts: Counts,
  { sinceMs, untilMs, stepMs }: { sinceMs: number; untilMs: number; stepMs: number },
): Plotted {
  const first = Math.floor(sinceMs / stepMs) * stepMs;
  const length = Math.max(1, Math.floor((untilMs - first) / stepMs) + 1);
  const times = Array.from({ length }, (_, index) => first + index * stepMs);
  const lines = Object.fromEntries(series.map((name) => [name, new Array<number>(length).fill(0)])) as Record<Series, number[]>;
  for (const { startMs, status, count } of counts) {
    const name = seriesOf[status];
    // A pending activity is counted when it ends.
    if (name === undefined) continue;
    const line = lines[name];
    const at = Math.round((Number(startMs) - first) / stepMs);
    if (at >= 0 && at < length) line[at] = (line[at] ?? 0) + Number(count);
  }
  return { times, lines };
}

/** Number of activities with a status, of the types that `isCounted` accepts. */
export function total(counts: Counts, status: string, isCounted: (type: string) => boolean = () => true): number {
  return counts
    .filter((each) => each.status === status && isCounted(each.type))
    .reduce((sum, { count }) => sum + Number(count), 0);
}

/** Counts by type, the most frequent first. */
export function byType(counts: Counts): readonly (readonly [string, number])[] {
  const sums = new Map<string, number>();
  for (const { type, status, count } of counts) {
    if (status !== 'ACTIVITY_STATUS_CONSENSUS_NEEDED') sums.set(type, (sums.get(type) ?? 0) + Number(count));
  }
  return [...sums].sort(([, a], [, b]) => b - a);
}

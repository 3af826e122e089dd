import type { Client } from '@countersign/client';

export type Durations = Awaited<ReturnType<Client['getActivityDurations']>>;

/** Largest histogram bound of the service, in milliseconds. Longer durations have no bound. */
export const LONGEST_MS = 16_384;

export interface PlottedDurations {
  /** Starts of the intervals, in milliseconds since 1970. */
  readonly times: readonly number[];
  /** Milliseconds; null without requests. */
  readonly median: readonly (number | null)[];
  readonly p99: readonly (number | null)[];
}

/** Durations by interval, with gaps without requests. */
export function plottedDurations(
  { intervals }: Pick<Durations, 'intervals'>,
  { sinceMs, untilMs, stepMs }: { sinceMs: number; untilMs: number; stepMs: number },
): PlottedDurations {
  const first = Math.floor(sinceMs / stepMs) * stepMs;
  const length = Math.max(1, Math.floor((untilMs - first) / stepMs) + 1);
  const empty = () => new Array<number | null>(length).fill(null);
  const [median, p99] = [empty(), empty()];
  for (const { startMs, medianMs, p99Ms } of intervals) {
    const at = Math.round((Number(startMs) - first) / stepMs);
    if (at < 0 || at >= length) continue;
    median[at] = Number(medianMs ?? LONGEST_MS);
    p99[at] = Number(p99Ms ?? LONGEST_MS);
  }
  return { times: Array.from({ length }, (_, index) => first + index * stepMs), median, p99 };
}

/** Upper end of the axis: the next power of ten. */
export function topOf({ p99 }: PlottedDurations): number {
  const most = p99.reduce<number>((highest, value) => Math.max(highest, value ?? 0), 0);
  return 10 ** Math.max(2, Math.ceil(Math.log10(most + 1)));
}

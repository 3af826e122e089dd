import { hourOf } from '../../statistics/latency-recorder.ts';
import { invalidField } from '../../wire/refuse.ts';

/** Hours per interval, and the maximum number of intervals in a response. */
const lengths = { HOUR: { hours: 1, most: 31 * 24 }, DAY: { hours: 24, most: 400 } } as const;

interface Asked {
  readonly interval: keyof typeof lengths;
  readonly since: string;
  readonly until?: string | undefined;
}

/** Converts a time range to hours, and returns the number of hours per interval. Rejects an empty range and a range that is too long. */
export function readIntervals({ interval, since, until }: Asked, nowMs: number) {
  const { hours, most } = lengths[interval];
  const slotOf = (timeMs: number) => Math.floor(hourOf(timeMs) / hours);
  const first = slotOf(Number(since));
  const last = slotOf(until === undefined ? nowMs : Number(until));
  if (last < first) throw invalidField('until', 'must not be before since');
  if (last - first >= most) throw invalidField('since', `must be at most ${most} intervals before the end`);
  return { fromHour: first * hours, beforeHour: (last + 1) * hours, hours };
}

import { UsageError } from '../errors.ts';

/** Flags that select past activities. */
export interface PastFlags {
  readonly since?: string;
  readonly until?: string;
  readonly last?: string;
  readonly type?: readonly string[];
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const SPAN = /^(\d{1,6})([mhd])$/;
const unitsMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a day, a time, or a duration ago (90m, 24h, 30d). */
export function toMilliseconds(flag: string, text: string, nowMs: number): string {
  const [, count, unit] = SPAN.exec(text) ?? [];
  const ms =
    unit === undefined ? Date.parse(DAY.test(text) ? `${text}T00:00:00Z` : text) : nowMs - Number(count) * (unitsMs[unit] ?? 0);
  if (Number.isFinite(ms) && ms >= 0) return `${ms}`;
  throw new UsageError(`${flag} must be a day, a time, or a duration.`, 'Write it as 2026-01-31, 2026-01-31T12:00:00Z or 30d.');
}

/** Range of past activities from flags. */
export function toRange({ since, until, last, type }: PastFlags, userIds: readonly string[], nowMs: number) {
  const count = last === undefined ? undefined : Number(last);
  if (count !== undefined && !(Number.isInteger(count) && count >= 1 && count <= 1_000_000))
    throw new UsageError('--last must be an integer from 1 to 1000000.', 'Write it as --last 1000.');
  return {
    ...(since !== undefined && { since: toMilliseconds('--since', since, nowMs) }),
    ...(until !== undefined && { until: toMilliseconds('--until', until, nowMs) }),
    ...(count !== undefined && { last: count }),
    ...(type !== undefined && { types: [...type] }),
    ...(userIds.length > 0 && { userIds: [...userIds] }),
  };
}

import { type Cron, cronMatches } from './cron.ts';
import type { ZoneOffset } from './zone.ts';

const MINUTE = 60_000;
const CHUNK = 6 * 60 * MINUTE;
const DAY_MINUTES = 1_440;

/** The longest window: seven days. */
const MAX_SPAN_MINUTES = 7 * DAY_MINUTES;

/** A recurring window: open for `[fire, fire + duration)` after every fire. */
export interface CronSpan {
  /** Whether a time is inside any window. */
  contains(nowMs: number): boolean;
}

/** Parses a duration such as `8h`, `90m` or `1d12h` into minutes. Undefined if it is malformed, zero or above seven days. */
export function parseDuration(text: string): number | undefined {
  const match = /^(?:(\d{1,5})d)?(?:(\d{1,5})h)?(?:(\d{1,5})m)?$/.exec(text);
  if (match === null) return undefined;
  const [days, hours, minutes] = match.slice(1).map((part) => Number(part ?? 0)) as [number, number, number];
  const total = days * DAY_MINUTES + hours * 60 + minutes;
  return total > 0 && total <= MAX_SPAN_MINUTES ? total : undefined;
}

/**
 * The windows of a schedule. The schedule fires whenever a wall clock in the zone shows a matching minute: an hour skipped in spring does
 * not fire, and an hour repeated in autumn fires twice. The duration is elapsed time.
 */
export function makeCronSpan(cron: Cron, durationMinutes: number, zone: ZoneOffset): CronSpan {
  // Fires and durations are whole minutes, so the result is cached per minute.
  let minute = Number.NaN;
  let answer = false;
  return {
    contains(nowMs) {
      const current = Math.floor(nowMs / MINUTE);
      if (current !== minute) {
        answer = firedWithin(cron, zone, current, durationMinutes);
        minute = current;
      }
      return answer;
    },
  };
}

/** Whether the schedule fired in the `count` minutes that end with `last`. */
function firedWithin(cron: Cron, zone: ZoneOffset, last: number, count: number): boolean {
  const first = last - count + 1;
  let end = last;
  while (end >= first) {
    const start = Math.max(first, Math.floor((end * MINUTE) / CHUNK) * (CHUNK / MINUTE));
    const offset = zone(end * MINUTE);
    // A zone does not change its offset twice within six hours, so equal offsets at both ends mean a constant offset.
    const constant = zone(start * MINUTE) === offset;
    for (let minute = end; minute >= start; minute -= 1) {
      if (matches(cron, minute, constant ? offset : zone(minute * MINUTE))) return true;
    }
    end = start - 1;
  }
  return false;
}

function matches(cron: Cron, minute: number, offset: number): boolean {
  const local = minute + Math.floor(offset / MINUTE);
  const minuteOfDay = ((local % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES;
  // Most minutes already fail on hour or minute. Only the others need a date.
  if (!cron.minutes.has(minuteOfDay % 60) || !cron.hours.has(Math.floor(minuteOfDay / 60))) return false;
  const date = new Date(local * MINUTE);
  return cronMatches(
    cron,
    date.getUTCMonth() + 1,
    date.getUTCDate(),
    date.getUTCDay(),
    Math.floor(minuteOfDay / 60),
    minuteOfDay % 60,
  );
}

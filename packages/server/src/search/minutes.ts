import type { Store } from '../store/store.ts';

const MINUTE_MS = 60_000;

export function minuteOf(timeMs: number): number {
  return Math.floor(timeMs / MINUTE_MS);
}

/** The first millisecond of a minute. */
export function startOf(minute: number): number {
  return minute * MINUTE_MS;
}

/** The time of an id. RFC 9562, section 5.7: ids begin with 48 bits of milliseconds. Undefined for other texts. */
export function timeOfId(id: string): number | undefined {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-/.test(id) ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined;
}

/** The minute in which the id of an activity was made. */
export function minuteOfId(id: string): number | undefined {
  const timeMs = timeOfId(id);
  return timeMs === undefined ? undefined : minuteOf(timeMs);
}

/** Minutes per read of the index, and reads per search. */
const PART = 256;
const MAX_READS = 64;

/** A range of minutes to search, both included. */
export interface MinuteRange {
  readonly newest: number;
  readonly oldest: number;
}

export interface Candidates {
  /** Ranges of minutes, newest first. */
  readonly ranges: AsyncIterable<MinuteRange>;
  /** The newest minute that was not looked at, if the search ended because it read too much of the index. */
  stoppedAt(): number | undefined;
}

/**
 * The minutes in which an organization may have activities with all of these terms. Minutes from `unindexed` on are always included.
 * Each list is read backwards from the newest minute that the others still allow, so a rare term makes frequent ones cheap.
 */
export function candidateMinutes(
  terms: Store['terms'],
  organizationId: string,
  wanted: readonly string[],
  { newest, oldest }: MinuteRange,
  unindexed: number,
): Candidates {
  let stopped: number | undefined;
  let reads = 0;

  function reader(name: string) {
    let part: readonly number[] = [];
    let isLast = false;
    /** The newest minute with the term that is not above `minute`. */
    return async (minute: number): Promise<number | undefined> => {
      const found = part.find((one) => one <= minute);
      if (found !== undefined || isLast) return found;
      reads++;
      part = await terms.minutes(organizationId, name, minute, oldest, PART);
      isLast = part.length < PART;
      return part[0];
    };
  }

  async function* ranges(): AsyncGenerator<MinuteRange> {
    if (wanted.length === 0) {
      if (newest >= oldest) yield { newest, oldest };
      return;
    }
    const below = Math.min(newest, unindexed - 1);
    if (newest > below) yield { newest, oldest: Math.max(oldest, below + 1) };
    const readers = wanted.map(reader);
    for (let minute = below; minute >= oldest; ) {
      if (reads >= MAX_READS) {
        stopped = minute;
        return;
      }
      let lowest = minute;
      for (const next of readers) {
        const found = await next(lowest);
        if (found === undefined) return;
        lowest = found;
      }
      // Every list contains the minute only if none of them moved.
      if (lowest === minute) {
        yield { newest: minute, oldest: minute };
        minute--;
      } else minute = lowest;
    }
  }

  return { ranges: ranges(), stoppedAt: () => stopped };
}

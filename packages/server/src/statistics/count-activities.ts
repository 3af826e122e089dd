import { setTimeout as sleep } from 'node:timers/promises';
import { type ActivityStatus, activityStatus } from '@countersign/contract';
import type { Logger } from 'pino';
import { isTerminal } from '../organizations/activities/activity-record.ts';
import type { ActivityCountRow, LogLeafRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { hourOf } from './latency-recorder.ts';

/** Counts activities in the background, until `stop`. */
export interface ActivityCounter {
  stop(): Promise<void>;
}

/** Poll interval for new leaves. Queries add uncounted ones. */
const EVERY_MS = 5_000;
/** Leaves per read: few enough not to delay requests. */
const SLICE = 256;
/** Leaves that one durable transaction counts. */
const MOST = 4_096;
/** How long to rest between transactions while an older database is counted. */
const REST_MS = 20;

/**
 * Counts the next uncounted leaves of the log. Returns whether more are left.
 * Any number of processes may do this: if two count the same leaves, one of them adds nothing.
 */
export async function countNext(store: Pick<Store, 'log' | 'counts'>, most = MOST): Promise<boolean> {
  const from = await store.counts.counted();
  const size = (await store.log.state())?.size ?? 0;
  const to = Math.min(size, from + most);
  if (to <= from) return false;
  const counts = new ActivityCounts();
  for (let at = from; at < to; at += SLICE) {
    const leaves = await store.log.openings(at, Math.min(at + SLICE, to));
    for (const leaf of leaves) counts.add(leaf);
    // Yield to pending requests.
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  await store.counts.add(from, to, counts.rows());
  return to < size;
}

export function startActivityCounter(store: Pick<Store, 'log' | 'counts'>, log: Pick<Logger, 'warn'>): ActivityCounter {
  const ended = new AbortController();
  const rest = (ms: number) => sleep(ms, undefined, { signal: ended.signal }).catch(() => undefined);

  async function work(): Promise<void> {
    while (!ended.signal.aborted) {
      let more = false;
      try {
        more = await countNext(store);
      } catch (error) {
        // Nothing is lost: the same leaves are counted later.
        log.warn({ err: error }, 'activities cannot be counted');
      }
      await rest(more ? REST_MS : EVERY_MS);
    }
  }

  const working = work();
  return {
    async stop() {
      ended.abort();
      await working;
    },
  };
}

const statuses: ReadonlySet<string> = new Set(activityStatus.options);

/**
 * The counts of leaves of the log.
 * An activity counts in the hour, and with the status, of its last step. A pending one also counts as pending, in the hour in which it
 * was submitted. Votes in between do not count.
 */
export class ActivityCounts {
  readonly #rows = new Map<string, ActivityCountRow>();

  add(leaf: Pick<LogLeafRow, 'organizationId' | 'revision' | 'opening'>): void {
    const read = readStep(leaf.opening);
    if (read === undefined || (leaf.revision > 0 && !isTerminal(read.status))) return;
    const { type, status, timeMs } = read;
    const hour = hourOf(timeMs);
    const key = `${leaf.organizationId}/${hour}/${type}/${status}`;
    const amount = (this.#rows.get(key)?.amount ?? 0) + 1;
    this.#rows.set(key, { organizationId: leaf.organizationId, hour, type, status, amount });
  }

  /** In key order, so that two nodes that add counts cannot deadlock. */
  rows(): readonly ActivityCountRow[] {
    return [...this.#rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  }
}

/** A step of an activity. */
interface Step {
  readonly type: string;
  readonly status: ActivityStatus;
  readonly timeMs: number;
}

/**
 * The activity of a leaf. Undefined for a leaf about the installation itself, and for one that was changed in the database: it does not
 * count, and readers of the log report it.
 */
function readStep(opening: string): Step | undefined {
  try {
    const { type, status, timeMs } = JSON.parse(opening) as Step;
    return type.startsWith('ACTIVITY_TYPE_') && statuses.has(status) && Number.isSafeInteger(timeMs)
      ? { type, status, timeMs }
      : undefined;
  } catch {
    return undefined;
  }
}

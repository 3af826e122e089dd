import { type ActivityStatus, activityStatus } from '@countersign/contract';
import { isTerminal } from '../organizations/activities/activity-record.ts';
import type { ActivityCountRow, LogLeafRow } from '../store/rows.ts';

const HOUR_MS = 3_600_000;
const statuses: ReadonlySet<string> = new Set(activityStatus.options);

/** The hour of a time, counted from 1970 in UTC. */
export function hourOf(timeMs: number): number {
  return Math.floor(timeMs / HOUR_MS);
}

/**
 * What leaves of the log come to as counts.
 * An activity counts in the hour, and with the status, of its last step. One that waits for approvals counts once more, as
 * waiting, in the hour in which it was submitted. Votes in between count nothing.
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

  /** In the order of their key, so that two nodes that add some wait for each other in one direction. */
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

import { spanFits } from '../organizations/activities/archived.ts';
import type { QueuedLogEntry } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import type { Integrity } from '../vault/vault.ts';
import { type ReadEntry, readLogEntry } from './entry.ts';
import { logAltered } from './log-error.ts';

/** Less than the two days after which activities can be archived, so that a clock that is a little wrong does not matter. */
const ARCHIVED_AFTER_MS = 24 * 60 * 60 * 1000;

export interface QueueCheckServices {
  readonly store: Store['log'];
  readonly integrity: Integrity;
  readonly clock: { nowMs(): number };
  alarm(organizationId: string, what: string): void;
}

/** A queued entry that this installation wrote. */
export interface Queued extends ReadEntry {
  readonly row: QueuedLogEntry;
}

export interface QueueChecks {
  sound(queued: readonly QueuedLogEntry[]): Promise<readonly Queued[]>;
  refuse(entries: readonly QueuedLogEntry[], why: string): Promise<void>;
  refuseDoubled(entries: readonly QueuedLogEntry[]): Promise<void>;
}

/** Sets queued entries aside that are forged, repeated or already in the log. */
export function createQueueChecks({ store, integrity, clock, alarm }: QueueCheckServices): QueueChecks {
  /** The entries that this installation wrote, each once. The others are set aside with an alarm. */
  async function sound(queued: readonly QueuedLogEntry[]): Promise<readonly Queued[]> {
    const bad: QueuedLogEntry[] = [];
    const seen = new Set<string>();
    const good: Queued[] = [];
    for (const row of queued) {
      const content = readLogEntry(integrity, row);
      const key = `${row.organizationId}/${row.activityId}/${row.revision}`;
      if (content === undefined || seen.has(key) || (await isArchived(row, content.timeMs))) bad.push(row);
      else {
        seen.add(key);
        good.push({ row, content });
      }
    }
    await refuse(bad, 'was changed, inserted or repeated outside the service');
    return good;
  }

  /**
   * SECURITY: D542: the key of a leaf no longer refuses a second one after it moved into an archive file. All entries from before the time
   * of a span were leaves when it was written.
   */
  async function isArchived({ organizationId, activityId }: QueuedLogEntry, timeMs: number): Promise<boolean> {
    if (timeMs > clock.nowMs() - ARCHIVED_AFTER_MS) return false;
    const spans = await store.spansAround(organizationId, activityId);
    return spans.some((span) => timeMs < span.beforeMs && spanFits(integrity, span));
  }

  async function refuse(entries: readonly QueuedLogEntry[], why: string): Promise<void> {
    for (const { organizationId, activityId } of entries)
      alarm(organizationId, `a log entry of the activity ${activityId} ${why}`);
    if (entries.length > 0) await store.refuse(entries);
  }

  /** Finds queued entries that are leaves already: they were reinserted into the database. */
  async function refuseDoubled(entries: readonly QueuedLogEntry[]): Promise<void> {
    const doubled: QueuedLogEntry[] = [];
    for (const entry of entries) {
      const leaf = await store.leafOf(entry.organizationId, entry.activityId, entry.revision);
      if (leaf !== undefined) doubled.push(entry);
    }
    if (doubled.length === 0)
      throw logAltered('it has leaves beyond its state, or the last leaf of an organization was rolled back');
    await refuse(doubled, 'was already in the log and was restored');
  }

  return { sound, refuse, refuseDoubled };
}

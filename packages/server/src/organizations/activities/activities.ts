import type { ServiceError } from '@countersign/contract';
import { createSlices, type EndSlice, mapInSlices } from '../../admission/index.ts';
import type { ActivityRow, ArchivedRow } from '../../store/rows.ts';
import type { ActivityFilter, Page, Store } from '../../store/store.ts';
import type { Integrity } from '../../vault/vault.ts';
import { type Alarm, tampered } from '../snapshot/load.ts';
import { type ActivityRecord, toActivityRecord } from './activity-record.ts';
import { archivedError, markFits, readArchiveRow, spanAround } from './archived.ts';
import { pageWithin } from './page-within.ts';

export interface StoredActivity {
  readonly record: ActivityRecord;
  readonly revision: number;
}

/** Reads stored activities and checks the MAC of each. */
export interface ActivityReader {
  get(organizationId: string, id: string): Promise<ActivityRecord | undefined>;
  /** The activity that a request created. */
  byRequest(
    organizationId: string,
    request: { readonly timestampMs: string; readonly fingerprint: string },
  ): Promise<ActivityRecord | undefined>;
  /** The activity that a vote can refer to: any activity except those that were executed immediately, without votes. */
  byFingerprint(organizationId: string, fingerprint: string): Promise<ActivityRecord | undefined>;
  /** The same for several fingerprints, in no order. */
  byFingerprints(organizationId: string, fingerprints: readonly string[]): Promise<readonly ActivityRecord[]>;
  /** Like `byFingerprint`, with the revision that a vote replaces. */
  withRevision(organizationId: string, fingerprint: string): Promise<StoredActivity | undefined>;
  /**
   * The activities of a page in parts of limited size, each newest first. Parts begin at the cursor: with only `before`, each part is newer
   * than the one before it, otherwise older.
   */
  pageParts(
    organizationId: string,
    filter: ActivityFilter,
    page: Page,
    endSlice?: EndSlice,
  ): AsyncGenerator<readonly ActivityRecord[]>;
  /** Throws ACTIVITY_ARCHIVED if the activity with this id or fingerprint is in an archive file. */
  refuseArchived(organizationId: string, name: { readonly id: string } | { readonly fingerprint: string }): Promise<void>;
  /** Raises the alarm, and returns the error for stored state that contradicts an activity. */
  tampered(organizationId: string, what: string): ServiceError;
}

/** Limits of a part of a page. An activity with more characters is a part by itself. */
const PART = { rows: 50, characters: 1_048_576 };

export function createActivityReader(
  { activities: store, archive, log }: Pick<Store, 'activities' | 'archive' | 'log'>,
  integrity: Integrity,
  alarm: Alarm,
): ActivityReader {
  function check(row: ActivityRow): ActivityRecord {
    const record = toActivityRecord(integrity, row);
    if (record !== undefined) return record;
    throw tampered(alarm, row.organizationId, `the activity ${row.id} was changed or inserted outside the service`);
  }

  /**
   * SECURITY: D252: checks and parses the row immediately. If large rows waited for other requests, hundreds of them would be in memory.
   */
  async function checked(row: Promise<ActivityRow | undefined>): Promise<ActivityRecord | undefined> {
    const found = await row;
    return found && check(found);
  }

  return {
    get: (organizationId, id) => checked(store.get(organizationId, id)),
    async byRequest(organizationId, { timestampMs, fingerprint }) {
      const requestedAtMs = Number(timestampMs);
      // A request without a valid timestamp is rejected, so nothing was stored.
      if (!Number.isSafeInteger(requestedAtMs)) return undefined;
      return checked(store.byRequest(organizationId, { requestedAtMs, fingerprint }));
    },
    byFingerprint: (organizationId, fingerprint) => checked(store.byFingerprint(organizationId, fingerprint)),
    byFingerprints: async (...keys) => (await store.byFingerprints(...keys)).map(check),
    async withRevision(organizationId, fingerprint) {
      const row = await store.byFingerprint(organizationId, fingerprint);
      return row && { record: check(row), revision: row.revision };
    },
    async refuseArchived(organizationId, name) {
      const mark = await ('id' in name
        ? archive.get(organizationId, name.id)
        : archive.byFingerprint(organizationId, name.fingerprint));
      const span = mark === undefined && 'id' in name ? await spanAround(log, integrity, organizationId, name.id) : undefined;
      const found = mark ?? span;
      if (found === undefined) return;
      const activityId = 'id' in name ? name.id : (mark as ArchivedRow).activityId;
      const file = await archive.file(found.archive);
      const facts = file && readArchiveRow(integrity, file);
      if ((mark !== undefined && !markFits(integrity, mark)) || facts === undefined)
        throw tampered(
          alarm,
          organizationId,
          `the marker of the archived activity ${activityId} was changed outside the service`,
        );
      throw archivedError(activityId, found.archive, facts);
    },
    tampered: (organizationId, what) => tampered(alarm, organizationId, what),
    async *pageParts(organizationId, filter, page, endSlice = createSlices(organizationId)) {
      const isUpwards = page.before !== undefined && page.after === undefined;
      const read = (part: Page) => store.page(organizationId, filter, part);
      for (let rest = page; rest.limit > 0; ) {
        const part = { ...rest, limit: Math.min(rest.limit, PART.rows) };
        const rows = await pageWithin(endSlice, PART.characters, part, read);
        const [newest, oldest] = [rows[0], rows.at(-1)];
        if (newest === undefined || oldest === undefined) return;
        yield await mapInSlices(rows, endSlice, check);
        rest = { ...rest, limit: rest.limit - rows.length, ...(isUpwards ? { before: newest.id } : { after: oldest.id }) };
      }
    },
  };
}

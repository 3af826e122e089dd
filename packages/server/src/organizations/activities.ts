import type { ServiceError } from '@countersign/contract';
import { createSlices, type EndSlice, mapInSlices, nextTurn } from '../fairness/slices.ts';
import type { ActivityRow } from '../store/rows.ts';
import type { ActivityFilter, Page, Store } from '../store/store.ts';
import type { Integrity } from '../vault/vault.ts';
import { type ActivityRecord, isGenuine, readGenuine, toActivityRecord } from './activity-record.ts';
import { archivedError, markFits, readArchiveRow } from './archived.ts';
import { type Alarm, tampered } from './load.ts';
import { pageWithin } from './page-within.ts';

/** Reads stored activities and checks the MAC of each. */
export interface ActivityReader {
  /** `beforeLarge` is awaited before a large one is read whole. */
  get(organizationId: string, id: string, beforeLarge?: () => Promise<void> | undefined): Promise<ActivityRecord | undefined>;
  /** What became of a request. */
  byRequest(
    organizationId: string,
    request: { readonly timestampMs: string; readonly fingerprint: string },
  ): Promise<ActivityRecord | undefined>;
  /** What a vote may name: everything but activities that were carried out at once, without waiting for votes. */
  byFingerprint(organizationId: string, fingerprint: string): Promise<ActivityRecord | undefined>;
  /** Like `byFingerprint`, with the revision that a vote replaces. */
  withRevision(
    organizationId: string,
    fingerprint: string,
  ): Promise<{ readonly record: ActivityRecord; readonly revision: number } | undefined>;
  /** A page, which ends early where activities are large. It is empty only where there are no more. */
  page(organizationId: string, filter: ActivityFilter, page: Page, endSlice?: EndSlice): Promise<readonly ActivityRecord[]>;
  /** Throws ACTIVITY_ARCHIVED where an activity of the organization, named by id or fingerprint, is in an archive file. */
  refuseArchived(organizationId: string, name: { readonly id: string } | { readonly fingerprint: string }): Promise<void>;
  /** Raises the alarm for an activity that is genuine and not where it belongs, and returns the refusal. */
  tampered(organizationId: string, what: string): ServiceError;
}

/** The most text of the activities of a page. */
const MAX_PAGE_CHARACTERS = 4_194_304;
/** Characters from which on to check and to parse an activity takes a slice. */
const LARGE = 65_536;

export function createActivityReader(
  { activities: store, archive }: Pick<Store, 'activities' | 'archive'>,
  integrity: Integrity,
  alarm: Alarm,
): ActivityReader {
  function required(record: ActivityRecord | undefined, { organizationId, id }: ActivityRow): ActivityRecord {
    if (record !== undefined) return record;
    throw tampered(alarm, organizationId, `the activity ${id} was changed or inserted outside the service`);
  }

  const check = (row: ActivityRow) =>
    row.body.length > LARGE ? checkInTurns(row) : required(toActivityRecord(integrity, row), row);
  const checkOptional = (row: ActivityRow | undefined) => (row === undefined ? undefined : check(row));

  /** SECURITY: D252: to check a large one and to parse it takes milliseconds each, and whoever has stored one may ask for it often. */
  async function checkInTurns(row: ActivityRow): Promise<ActivityRecord> {
    await nextTurn(row.organizationId);
    const genuine = isGenuine(integrity, row);
    if (genuine) await nextTurn(row.organizationId);
    return required(genuine ? readGenuine(row) : undefined, row);
  }

  return {
    async get(organizationId, id, beforeLarge) {
      const read = () => store.get(organizationId, id);
      // SECURITY: D252: hundreds may wait, and this function would hold the row while it waits. So it is dropped here and read again.
      return read().then((row) => {
        const wait = row !== undefined && row.body.length > LARGE ? beforeLarge?.() : undefined;
        return wait === undefined ? checkOptional(row) : wait.then(read).then(checkOptional);
      });
    },
    async byRequest(organizationId, { timestampMs, fingerprint }) {
      const requestedAtMs = Number(timestampMs);
      // What names no time was refused, so nothing was stored.
      if (!Number.isSafeInteger(requestedAtMs)) return undefined;
      return checkOptional(await store.byRequest(organizationId, { requestedAtMs, fingerprint }));
    },
    byFingerprint: async (organizationId, fingerprint) => checkOptional(await store.byFingerprint(organizationId, fingerprint)),
    async withRevision(organizationId, fingerprint) {
      const row = await store.byFingerprint(organizationId, fingerprint);
      return row === undefined ? undefined : { record: await check(row), revision: row.revision };
    },
    async refuseArchived(organizationId, name) {
      const mark = await ('id' in name
        ? archive.get(organizationId, name.id)
        : archive.byFingerprint(organizationId, name.fingerprint));
      if (mark === undefined) return;
      const file = await archive.file(mark.archive);
      const facts = file && readArchiveRow(integrity, file);
      if (!markFits(integrity, mark) || facts === undefined)
        throw tampered(
          alarm,
          organizationId,
          `the mark of the archived activity ${mark.activityId} was changed outside the service`,
        );
      throw archivedError(mark, facts);
    },
    tampered: (organizationId, what) => tampered(alarm, organizationId, what),
    async page(organizationId, filter, page, endSlice = createSlices(organizationId)) {
      const read = (part: Page) => store.page(organizationId, filter, part);
      const rows = await pageWithin(endSlice, MAX_PAGE_CHARACTERS, page, read);
      return mapInSlices(rows, endSlice, check);
    },
  };
}

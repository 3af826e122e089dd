import type { ServiceError } from '@countersign/contract';
import { createLongAnswers, createSlices, type EndSlice, mapInSlices, nextTurn } from '../../admission/index.ts';
import type { ActivityRow } from '../../store/rows.ts';
import type { ActivityFilter, Page, Store } from '../../store/store.ts';
import type { Integrity } from '../../vault/vault.ts';
import { type Alarm, tampered } from '../snapshot/load.ts';
import { type ActivityRecord, isGenuine, readGenuine, toActivityRecord } from './activity-record.ts';
import { archivedError, markFits, readArchiveRow } from './archived.ts';
import { pageWithin } from './page-within.ts';

type BeforeLarge = () => Promise<void> | undefined;
type Load = () => Promise<ActivityRow | undefined>;

export interface StoredActivity {
  readonly record: ActivityRecord;
  readonly revision: number;
}

/** Reads stored activities and checks the MAC of each. */
export interface ActivityReader {
  /** `beforeLarge` is awaited before a large activity is read. */
  get(organizationId: string, id: string, beforeLarge?: BeforeLarge): Promise<ActivityRecord | undefined>;
  /** The activity that a request created. */
  byRequest(
    organizationId: string,
    request: { readonly timestampMs: string; readonly fingerprint: string },
  ): Promise<ActivityRecord | undefined>;
  /** The activity that a vote can refer to: any activity except those that were executed immediately, without votes. */
  byFingerprint(organizationId: string, fingerprint: string): Promise<ActivityRecord | undefined>;
  /** Like `byFingerprint`, with the revision that a vote replaces. */
  withRevision(organizationId: string, fingerprint: string): Promise<StoredActivity | undefined>;
  /** One page. It ends early if activities are large, and is empty only if there are no more. */
  page(organizationId: string, filter: ActivityFilter, page: Page, endSlice?: EndSlice): Promise<readonly ActivityRecord[]>;
  /** Throws ACTIVITY_ARCHIVED if the activity with this id or fingerprint is in an archive file. */
  refuseArchived(organizationId: string, name: { readonly id: string } | { readonly fingerprint: string }): Promise<void>;
  /** Raises the alarm, and returns the error for stored state that contradicts an activity. */
  tampered(organizationId: string, what: string): ServiceError;
}

/** Maximum total size of the activities on a page. */
const MAX_PAGE_CHARACTERS = 4_194_304;
/** An activity with more characters than this is verified and parsed in separate slices. */
const LARGE = 65_536;

export function createActivityReader(
  { activities: store, archive }: Pick<Store, 'activities' | 'archive'>,
  integrity: Integrity,
  alarm: Alarm,
): ActivityReader {
  const places = createLongAnswers();

  function required(record: ActivityRecord | undefined, { organizationId, id }: ActivityRow): ActivityRecord {
    if (record !== undefined) return record;
    throw tampered(alarm, organizationId, `the activity ${id} was changed or inserted outside the service`);
  }

  const check = (row: ActivityRow, owner = row.organizationId) =>
    row.body.length > LARGE ? checkInTurns(row, owner) : required(toActivityRecord(integrity, row), row);

  /** SECURITY: D252: verifying and parsing a large activity takes milliseconds each, and the user who stored it can request it often. */
  async function checkInTurns(row: ActivityRow, owner: string): Promise<ActivityRecord> {
    await nextTurn(owner);
    const genuine = isGenuine(integrity, row);
    if (genuine) await nextTurn(owner);
    return required(genuine ? readGenuine(row) : undefined, row);
  }

  async function checked(owner: string, row: ActivityRow | undefined): Promise<StoredActivity | undefined> {
    return row && { record: await check(row, owner), revision: row.revision };
  }

  /**
   * SECURITY: D252: hundreds of requests can queue, and an async function would hold its row while it waits. So drop the row and read it
   * again.
   */
  function read(owner: string, load: Load, beforeLarge?: BeforeLarge): Promise<StoredActivity | undefined> {
    return load().then((row) => {
      const wait = row !== undefined && row.body.length > LARGE ? beforeLarge?.() : undefined;
      return wait === undefined ? checked(owner, row) : wait.then(load).then((again) => checked(owner, again));
    });
  }

  /** SECURITY: D252: a vote is a short request for a possibly large activity. Limit how many of those are in memory at a time. */
  async function readInPlace(owner: string, load: Load): Promise<StoredActivity | undefined> {
    const place = places.begin(owner);
    try {
      return await read(owner, load, place.takePlace);
    } finally {
      place.end();
    }
  }

  return {
    async get(organizationId, id, beforeLarge) {
      const stored = await read(organizationId, () => store.get(organizationId, id), beforeLarge);
      return stored?.record;
    },
    async byRequest(organizationId, { timestampMs, fingerprint }) {
      const requestedAtMs = Number(timestampMs);
      // A request without a valid timestamp is rejected, so nothing was stored.
      if (!Number.isSafeInteger(requestedAtMs)) return undefined;
      const stored = await readInPlace(organizationId, () => store.byRequest(organizationId, { requestedAtMs, fingerprint }));
      return stored?.record;
    },
    async byFingerprint(organizationId, fingerprint) {
      const stored = await readInPlace(organizationId, () => store.byFingerprint(organizationId, fingerprint));
      return stored?.record;
    },
    // A vote that is being counted blocks all changes of its organization. So it does not queue behind votes that are not counted yet.
    withRevision: (organizationId, fingerprint) =>
      readInPlace(`${organizationId} counts`, () => store.byFingerprint(organizationId, fingerprint)),
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
      return mapInSlices(rows, endSlice, (row) => check(row));
    },
  };
}

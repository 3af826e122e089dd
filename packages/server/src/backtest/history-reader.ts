import { activityByType, isSignature } from '@countersign/contract';
import { type AuditedKind, auditedKindOf, type PastChange } from '@countersign/judgement';
import { nextTurn } from '../admission/index.ts';
import type { ActivityRecord, AuditChange } from '../organizations/activities/activity-record.ts';
import { findOrganizationOrigin } from '../organizations/organization-origin.ts';
import type { Snapshot } from '../organizations/snapshot/snapshot.ts';
import type { BacktestServices } from './backtest-types.ts';
import { compareTimestamps, type Timestamp } from './timestamp.ts';

/** All changes of an organization, as stored with its activities. */
export interface History {
  readonly organizationId: string;
  /** The version of the organization after the last change. */
  readonly version: number;
  /** Includes every decision before this time. */
  readonly builtAtMs: number;
  /** The organization before the first change, if known. */
  readonly base: readonly PastChange[];
  readonly changes: readonly { readonly timestamp: Timestamp; readonly changes: readonly PastChange[] }[];
  /** Earlier decisions cannot be replayed, because too much has changed since. 0 if everything is known. */
  readonly knownSinceMs: number;
}

/** Maximum number of changes, which bounds the memory of one organization. */
export const MAX_CHANGES = 100_000;

/** Activities whose changes can affect decisions. They are never archived. */
const types = [...activityByType.keys()].filter((type) => !isSignature(type));
const statuses = ['ACTIVITY_STATUS_COMPLETED'] as const;

type HistoryServices = Pick<BacktestServices, 'activities' | 'store' | 'clock'>;

/** Reads the changes of an organization, newest first, up to `MAX_CHANGES`. */
export async function readHistory(services: HistoryServices, organization: Snapshot): Promise<History> {
  const builtAtMs = services.clock.nowMs();
  const found: { timestamp: Timestamp; changes: readonly PastChange[] }[] = [];
  let size = 0;
  let knownSinceMs = 0;
  const page = { limit: Number.POSITIVE_INFINITY };
  for await (const records of services.activities.pageParts(organization.id, { types, statuses }, page)) {
    for (const record of records) {
      const changes = ownChanges(record.changed?.changes ?? []);
      size += changes.length;
      if (changes.length > 0) found.push({ timestamp: endOf(record), changes });
    }
    if (size > MAX_CHANGES) {
      knownSinceMs = Math.max(...records.map(({ updatedAtMs }) => updatedAtMs));
      break;
    }
    await nextTurn(organization.id);
  }
  found.sort((a, b) => compareTimestamps(a.timestamp, b.timestamp));
  const created = knownSinceMs > 0 ? undefined : await findOrganizationOrigin(services, organization);
  const creation = ownChanges(
    (created?.changed?.changes ?? []).flatMap((change) =>
      'create' in change && change.create === organization.id ? change.changes : [],
    ),
  );
  const base = [...creation, ...filledIn(organization, creation, found)];
  const { id: organizationId, version } = organization;
  return { organizationId, version, builtAtMs, base, changes: consistent(base, found), knownSinceMs };
}

/** When the last decision on an activity was made. */
function endOf({ decisions, id, createdAtMs }: ActivityRecord): Timestamp {
  const last = decisions.at(-1);
  return last === undefined ? { atMs: createdAtMs, voteId: id } : { atMs: last.createdAtMs, voteId: last.voteId };
}

function ownChanges(changes: readonly AuditChange[]): readonly PastChange[] {
  return changes.filter(
    (change): change is PastChange => !('create' in change) && auditedKindOf(change as PastChange) !== undefined,
  );
}

const nameOf = (change: PastChange) => `${'put' in change ? change.put : change.drop}/${change.id}`;

/**
 * Records that the organization has, or must have had, but that no known activity created: they predate stored changes.
 * INVARIANT: this is a guess. Every activity is first authorized by the policies of its time, and skipped if the decision differs.
 */
function filledIn(
  { records }: Snapshot,
  creation: readonly PastChange[],
  found: readonly { readonly timestamp: Timestamp; readonly changes: readonly PastChange[] }[],
): PastChange[] {
  const seen = new Set(creation.map(nameOf));
  const base: PastChange[] = [];
  for (const { timestamp, changes } of found) {
    for (const change of changes) {
      if (seen.has(nameOf(change))) continue;
      seen.add(nameOf(change));
      if ('put' in change && (change.body as { createdAtMs?: number }).createdAtMs !== timestamp.atMs) base.push(change);
    }
  }
  for (const [kind, table] of Object.entries(records)) {
    for (const [id, body] of table) {
      const change = { put: kind as AuditedKind, id, body };
      if (auditedKindOf(change) !== undefined && !seen.has(nameOf(change))) base.push(change);
    }
  }
  return base;
}

/** Skips deletions of records that are not present: they were created before changes were stored. */
function consistent(base: readonly PastChange[], found: History['changes']): History['changes'] {
  const present = new Set(base.map(nameOf));
  return found.map(({ timestamp, changes }) => ({
    timestamp,
    changes: changes.filter((change) => {
      if ('put' in change) return present.add(nameOf(change));
      return present.delete(nameOf(change));
    }),
  }));
}

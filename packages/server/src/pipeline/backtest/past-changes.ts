import { activityByType, isSignature } from '@countersign/contract';
import { type AuditedKind, auditedKindOf, type PastChange } from '@countersign/judgement';
import { nextTurn } from '../../admission/index.ts';
import type { ActivityRecord } from '../../organizations/activity-record.ts';
import type { AuditChange } from '../../organizations/audit-changes.ts';
import { findOrganizationOrigin } from '../../organizations/organization-origin.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';
import type { PipelineServices } from '../services.ts';
import { compareMoments, type Moment } from './moment.ts';

/** Everything that changed an organization, as its activities kept it. */
export interface PastChanges {
  readonly organizationId: string;
  /** The version of the organization that it leads to. */
  readonly version: number;
  /** Everything that was decided before this time is in it. */
  readonly builtAtMs: number;
  /** The organization before the first of the changes, as far as it is known. */
  readonly base: readonly PastChange[];
  readonly changes: readonly { readonly moment: Moment; readonly changes: readonly PastChange[] }[];
  /** What was decided before this time cannot be judged again: too much has changed since. 0 if everything is known. */
  readonly knownSinceMs: number;
}

/** How many records may have changed. More would take more memory than one organization may have. */
export const MAX_CHANGES = 100_000;
const PAGE = 200;

/** Activities that can change what decisions rest on. Archives never take them. */
const types = [...activityByType.keys()].filter((type) => !isSignature(type));
const statuses = ['ACTIVITY_STATUS_COMPLETED'] as const;

type Services = Pick<PipelineServices, 'activities' | 'store' | 'clock'>;

/** Reads what changed an organization, newest first, until there is too much of it. */
export async function readPastChanges(services: Services, organization: Snapshot): Promise<PastChanges> {
  const builtAtMs = services.clock.nowMs();
  const found: { moment: Moment; changes: readonly PastChange[] }[] = [];
  let size = 0;
  let knownSinceMs = 0;
  for (let after: string | undefined; ; ) {
    const page = { limit: PAGE, ...(after !== undefined && { after }) };
    const records = await services.activities.page(organization.id, { types, statuses }, page);
    for (const record of records) {
      const changes = ownChanges(record.changed?.changes ?? []);
      size += changes.length;
      if (changes.length > 0) found.push({ moment: endOf(record), changes });
    }
    after = records.at(-1)?.id;
    if (records.length < PAGE || after === undefined) break;
    if (size > MAX_CHANGES) {
      knownSinceMs = Math.max(...records.map(({ updatedAtMs }) => updatedAtMs));
      break;
    }
    await nextTurn(organization.id);
  }
  found.sort((a, b) => compareMoments(a.moment, b.moment));
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
function endOf({ decisions, id, createdAtMs }: ActivityRecord): Moment {
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
 * What the organization has, or must have had, and what no known activity made: from before changes were kept.
 * INVARIANT: this is a guess. Every activity is first judged by the policies of then, and left out where that gives another decision.
 */
function filledIn(
  { records }: Snapshot,
  creation: readonly PastChange[],
  found: readonly { readonly moment: Moment; readonly changes: readonly PastChange[] }[],
): PastChange[] {
  const seen = new Set(creation.map(nameOf));
  const base: PastChange[] = [];
  for (const { moment, changes } of found) {
    for (const change of changes) {
      if (seen.has(nameOf(change))) continue;
      seen.add(nameOf(change));
      if ('put' in change && (change.body as { createdAtMs?: number }).createdAtMs !== moment.atMs) base.push(change);
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

/** Leaves out the end of what was never there: it began before changes were kept. */
function consistent(base: readonly PastChange[], found: PastChanges['changes']): PastChanges['changes'] {
  const present = new Set(base.map(nameOf));
  return found.map(({ moment, changes }) => ({
    moment,
    changes: changes.filter((change) => {
      if ('put' in change) return present.add(nameOf(change));
      return present.delete(nameOf(change));
    }),
  }));
}

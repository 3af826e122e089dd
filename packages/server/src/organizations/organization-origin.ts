import { activities } from '@countersign/contract';
import type { Store } from '../store/store.ts';
import type { ActivityReader } from './activities/activities.ts';
import type { ActivityRecord } from './activities/activity-record.ts';
import { firstOrganizationId } from './first-organization.ts';
import type { Snapshot } from './snapshot/snapshot.ts';

/**
 * Maximum number of activities to search for the one that created an organization. It is the first result, unless it was pending.
 * SECURITY: if it is archived, every reader of the sub-organization could otherwise trigger a scan of all activities, repeatedly.
 */
const MAX_SEARCHED = 1_000;

const creations = [activities.createSubOrganization, activities.createOrganization].flatMap(({ versions }) =>
  versions.map(({ type }) => type),
);

/**
 * The activity of another organization that created this one: of its parent, or of the operator's organization. Undefined for the first
 * organization.
 * SECURITY: it reveals nothing about the other organization except this activity.
 */
export async function findOrganizationOrigin(
  { store, activities: reader }: { readonly store: Pick<Store, 'vault'>; readonly activities: Pick<ActivityReader, 'pageParts'> },
  { id, profile: { parentId, first } }: Snapshot,
): Promise<ActivityRecord | undefined> {
  if (first === true) return undefined;
  const creatorId = parentId ?? (await firstOrganizationId(store));
  if (creatorId === undefined) return undefined;
  const filter = { types: creations, statuses: ['ACTIVITY_STATUS_COMPLETED' as const] };
  // Ids sort by time, and the activity gets its id before the organization does.
  for await (const records of reader.pageParts(creatorId, filter, { limit: MAX_SEARCHED, after: id })) {
    const found = records.find(({ result }) => createdId(result) === id);
    if (found !== undefined) return found;
  }
  return undefined;
}

function createdId(result: unknown): unknown {
  const { subOrganizationId, organizationId } = (result ?? {}) as { subOrganizationId?: unknown; organizationId?: unknown };
  return subOrganizationId ?? organizationId;
}

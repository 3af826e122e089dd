import { activities } from '@countersign/contract';
import type { Store } from '../store/store.ts';
import type { ActivityReader } from './activities/activities.ts';
import type { ActivityRecord } from './activities/activity-record.ts';
import { firstOrganizationId } from './first-organization.ts';
import type { Snapshot } from './snapshot/snapshot.ts';

/**
 * Maximum number of pages to search for the activity that created an organization. It is the first result, unless it was pending.
 * SECURITY: if it is archived, every reader of the sub-organization could otherwise trigger a scan of all activities, repeatedly.
 */
const MAX_SEARCHED_PAGES = 10;
const PAGE = 100;

const creations = [activities.createSubOrganization, activities.createOrganization].flatMap(({ versions }) =>
  versions.map(({ type }) => type),
);

/**
 * The activity of another organization that created this one: of its parent, or of the operator's organization. Undefined for the first
 * organization.
 * SECURITY: it reveals nothing about the other organization except this activity.
 */
export async function findOrganizationOrigin(
  { store, activities: reader }: { readonly store: Pick<Store, 'vault'>; readonly activities: Pick<ActivityReader, 'page'> },
  { id, profile: { parentId, first } }: Snapshot,
): Promise<ActivityRecord | undefined> {
  if (first === true) return undefined;
  const creatorId = parentId ?? (await firstOrganizationId(store));
  if (creatorId === undefined) return undefined;
  const filter = { types: creations, statuses: ['ACTIVITY_STATUS_COMPLETED' as const] };
  // Ids sort by time, and the activity gets its id before the organization does.
  for (let page = 0, after = id; page < MAX_SEARCHED_PAGES; page++) {
    const records = await reader.page(creatorId, filter, { limit: PAGE, after });
    const found = records.find(({ result }) => createdId(result) === id);
    const last = records.at(-1);
    if (found !== undefined || last === undefined) return found;
    after = last.id;
  }
  return undefined;
}

function createdId(result: unknown): unknown {
  const { subOrganizationId, organizationId } = (result ?? {}) as { subOrganizationId?: unknown; organizationId?: unknown };
  return subOrganizationId ?? organizationId;
}

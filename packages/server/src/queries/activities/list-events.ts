import { type ActivityDetails, type ActivityStatus, queries, ServiceError } from '@countersign/contract';
import type { z } from 'zod';
import type { VerifiedLeaf } from '../../log/leaves.ts';
import { eventId } from '../../notify/webhooks/event-id.ts';
import type { ActivityRecord } from '../../organizations/activities/activity-record.ts';
import { toTimestamp } from '../../organizations/views.ts';
import { type QueryContext, resolve } from '../../pipeline/query.ts';
import { collect } from '../collect.ts';
import { readSteps } from './read-steps.ts';
import { shortenVotes, showListed } from './show-listed.ts';

type Output = z.output<typeof queries.listEvents.output>;
type ActivityEvent = Output['events'][number];

/** What every activity type begins with. Leaves of changes by the service itself have other types. */
const ACTIVITY = 'ACTIVITY_TYPE_';
/** Approximate number of bytes of the stored activities that are in memory at a time. */
const PART_BYTES = 2_097_152;
/** A page ends early after this many characters. The rest is read for the next page. */
const MAX_PAGE_CHARACTERS = 4_000_000;

/**
 * INVARIANT: D536: numbers come from the leaves of the log, which one sequencer numbers after their commit. So a commit that becomes
 * visible late gets a later number, on any number of nodes, and a reader who continues from `next` misses none.
 * SECURITY: D533: activities are read and rendered after the last authorization of the caller, as `list_activities` renders them.
 */
export const listEvents = resolve(queries.listEvents, async (context, input) => {
  const { from = '1', limit = '100', waitSeconds = '0', filterByStatus, filterByType } = input;
  const { leaves, head } = await readSteps(context, { from, limit, waitSeconds });
  const isWanted = ({ opening: { type, status } }: VerifiedLeaf) =>
    type.startsWith(ACTIVITY) &&
    (filterByType?.includes(type) ?? true) &&
    (filterByStatus?.includes(status as ActivityStatus) ?? true);
  context.reserve(PART_BYTES);
  const events: ActivityEvent[] = [];
  let next = Number(from);
  for (let length = 0; next < Number(from) + leaves.length && length < MAX_PAGE_CHARACTERS; next++) {
    const leaf = leaves[next - Number(from)] as VerifiedLeaf;
    if (!isWanted(leaf)) continue;
    const event = await eventOf(context, leaf);
    length += JSON.stringify(event).length;
    events.push(event);
  }
  return { events, next: String(next), isNewest: next > head.sequence };
});

async function eventOf(context: QueryContext, { row, opening }: VerifiedLeaf): Promise<ActivityEvent> {
  const { activityId, revision } = row;
  const activity = await showNow(context, activityId);
  return {
    sequence: String(row.sequence),
    eventId: eventId(activityId, revision),
    activityId,
    type: opening.type,
    status: opening.status as ActivityStatus,
    occurredAt: toTimestamp(opening.timeMs),
    ...(activity !== undefined && { activity }),
  };
}

/** The activity as the caller may read it now. Undefined if it is in an archive file. */
async function showNow(context: QueryContext, activityId: string): Promise<ActivityDetails | undefined> {
  const record = await findUnarchived(context, activityId);
  if (record === undefined) return undefined;
  const { items } = await collect(context, [showListed(record, context.showActivity)], shortenVotes);
  return items[0];
}

async function findUnarchived(
  { activities, organization }: QueryContext,
  activityId: string,
): Promise<ActivityRecord | undefined> {
  const record = await activities.get(organization.id, activityId);
  if (record !== undefined) return record;
  try {
    await activities.refuseArchived(organization.id, { id: activityId });
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'ACTIVITY_ARCHIVED') return undefined;
    throw error;
  }
  throw activities.tampered(organization.id, `the activity ${activityId} is missing`);
}

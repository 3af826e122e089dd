import type { QueryDefinition } from '@countersign/contract';
import { isOwnActivity } from '@countersign/judgement';
import type { ActivityRecord } from '../organizations/activities/activity-record.ts';
import { readingDenied } from '../pipeline/authorize/authorize-reading.ts';
import type { QueryContext } from '../pipeline/query.ts';

/** Throws unless the user is the caller. Undefined stands for a user who does not exist. */
export function requireSelf({ caller }: QueryContext, query: QueryDefinition, userId: string | undefined): string {
  if (userId !== caller.userId) throw readingDenied(query);
  return userId;
}

/** An activity of the caller. Throws the same error if it does not exist or is not the caller's own. */
export async function requireOwnActivity(
  { activities, organization, caller }: QueryContext,
  query: QueryDefinition,
  activityId: string,
): Promise<ActivityRecord> {
  const record = await activities.get(organization.id, activityId);
  if (record === undefined || !isOwnActivity(record, caller.userId)) throw readingDenied(query);
  return record;
}

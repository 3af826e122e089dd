import { turnkey } from '../../dialects/turnkey.ts';
import type { ActivityRecord } from '../../organizations/activities/activity-record.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { withinLimit } from './event-size.ts';

/**
 * The body of an event: the activity as `get_activity` shows it to a user who can neither approve nor reject it, shortened if too large.
 * SECURITY: D60: it omits every value that could be used as a credential.
 */
export function eventBody(record: ActivityRecord, organization: Snapshot): string {
  return withinLimit(turnkey.showActivity(record, organization, ''));
}

import { turnkey } from '../dialects/turnkey.ts';
import type { ActivityRecord } from '../organizations/activity-record.ts';
import type { Snapshot } from '../organizations/snapshot.ts';
import { withinLimit } from './event-size.ts';

/**
 * What an endpoint is sent: the activity, as `get_activity` shows it to a user without a say in it, as far as it is not too large.
 * SECURITY: D60: that is without the values that could be used as a credential.
 */
export function eventBody(record: ActivityRecord, organization: Snapshot): string {
  return withinLimit(turnkey.showActivity(record, organization, ''));
}

import type { ActivityRecord } from '../packages/server/src/organizations/activities/activity-record.ts';

/** A minimal completed activity, for commits that fill an organization. */
export function seededActivity(organizationId: string, id: string, type: string): ActivityRecord {
  return {
    id,
    organizationId,
    type,
    status: 'ACTIVITY_STATUS_COMPLETED',
    fingerprint: `seed:${id}`,
    timestampMs: String(Date.now()),
    intent: {},
    result: {},
    failure: null,
    votes: [],
    decisions: [],
    createdAtMs: Date.now(),
    updatedAtMs: Date.now(),
  };
}

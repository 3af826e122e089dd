import type { ActivityRecord } from '../packages/server/src/organizations/activity-record.ts';

/** The activity of a commit that fills an organization: it says nothing but that it was carried out. */
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

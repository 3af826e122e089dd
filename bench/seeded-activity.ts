import type { LoggedStep } from '../packages/server/src/log/entry.ts';
import { createdHeads, headMembers } from '../packages/server/src/log/logged-step.ts';
import type { ActivityRecord } from '../packages/server/src/organizations/activities/activity-record.ts';
import type { Write } from '../packages/server/src/store/rows.ts';
import type { Head } from '../packages/server/src/store/store.ts';

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

/** What the log entry of a seeded commit says: the head after it, and the organizations that it creates. */
export function seededStep(epoch: number, head: Head, writes: readonly Write[] = []): LoggedStep {
  const created = createdHeads(writes);
  return {
    epoch,
    credentialKind: 'NONE',
    authorizationDigest: '',
    ...headMembers(head),
    ...(created.length > 0 && { created }),
  };
}

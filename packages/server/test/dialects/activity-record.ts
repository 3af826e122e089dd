import type { ActivityRecord, VoteRecord } from '../../src/organizations/activities/activity-record.ts';

/** An approval of the user `u` with the given body as it was stamped. */
export function voteRecord(message: string, change: Partial<VoteRecord> = {}): VoteRecord {
  return {
    id: 'v',
    userId: 'u',
    userName: 'User',
    credentialId: 'k',
    selection: 'VOTE_SELECTION_APPROVED',
    message,
    publicKey: '02aa',
    signature: 'ab',
    scheme: 'SIGNATURE_SCHEME_TK_API_P256',
    createdAtMs: 1_000,
    ...change,
  };
}

/** A complete activity of the organization `o`. */
export function activityRecord(type: string, votes: readonly VoteRecord[], change: Partial<ActivityRecord> = {}): ActivityRecord {
  return {
    id: 'a',
    organizationId: 'o',
    type,
    status: 'ACTIVITY_STATUS_COMPLETED',
    fingerprint: 'sha256:00',
    timestampMs: '1000',
    intent: {},
    result: {},
    failure: null,
    votes,
    decisions: [],
    createdAtMs: 1_000,
    updatedAtMs: 2_000,
    ...change,
  };
}

import type { Approval, DecisionRequest } from '../request.ts';
import type { MissingApprovals } from './pending-consensus.ts';

/** The state of the root quorum for a request. `missing` is present if members have approved and enough others remain. */
export interface RootQuorumState {
  readonly met: boolean;
  readonly approved: number;
  readonly threshold: number;
  readonly missing?: MissingApprovals;
}

/**
 * Counts the members of the root quorum among the approvers.
 * SECURITY: a member counts once, and only while still a user. A threshold below one is never met.
 */
export function rootQuorumState({ rootQuorum, organizationUsers }: DecisionRequest, approval: Approval): RootQuorumState {
  const { threshold } = rootQuorum;
  const members = new Set(rootQuorum.userIds.filter((id) => organizationUsers.has(id)));
  const approvers = new Set(approval.users.map(({ id }) => id).filter((id) => members.has(id)));
  const approved = approvers.size;
  if (!Number.isInteger(threshold) || threshold < 1) return { met: false, approved, threshold };
  if (approved >= threshold) return { met: true, approved, threshold };
  if (approved === 0 || members.size < threshold) return { met: false, approved, threshold };
  const userIds = [...members].filter((id) => !approvers.has(id));
  return { met: false, approved, threshold, missing: { count: threshold - approved, requirement: 'root quorum', userIds } };
}

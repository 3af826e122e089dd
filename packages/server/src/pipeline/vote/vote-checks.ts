import { ServiceError } from '@countersign/contract';
import {
  type Approvable,
  CURRENT_RULES,
  denyEarly,
  isFreezeActivity,
  mfaStatesOf,
  scopeRefusal,
  standingApprovals,
} from '@countersign/judgement';
import type { Decision } from '@countersign/policy';
import type { ActivityRecord, VoteRecord } from '../../organizations/activities/activity-record.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { Caller } from '../authenticate/authenticate.ts';
import type { Proposal } from '../context.ts';

/** Votes come from the organization that the submitter belongs to. */
export function requireSameOrganization({ judgedBy, organizationId }: ActivityRecord, home: Snapshot): void {
  if (home.id !== (judgedBy ?? organizationId)) throw uselessVote();
}

/** Whether a user may end an activity: its submitter, root users, and users whose approval it needs, or last needed. */
function mayEnd(
  record: ActivityRecord,
  { home, votes }: Pick<Proposal, 'home' | 'votes'>,
  { userId }: Pick<Caller, 'userId'>,
  present?: Decision,
): boolean {
  const { mayApprove = [] } = present?.outcome === 'NEEDS_CONSENSUS' ? present : (record.decisions.at(-1) ?? {});
  return votes[0]?.userId === userId || home.profile.rootQuorum.userIds.includes(userId) || mayApprove.includes(userId);
}

/**
 * Whether an approval may have an effect, as far as the last decision and the policies tell without the parameters.
 * SECURITY: D1012: nodes are not asked for others, so a user without rights cannot use up the share of the organization by votes.
 */
export function mightApprove(record: ActivityRecord, { home, definition, version }: VotedOn, caller: Caller): boolean {
  const denied = denyEarly({ rules: CURRENT_RULES, organization: home, votes: [caller], definition, type: version.type });
  if (denied?.outcome !== 'DENY') return true;
  return denied.by !== 'FROZEN' && mayEnd(record, { home, votes: record.votes }, caller);
}

type VotedOn = Pick<Proposal, 'home' | 'definition' | 'version'>;

/**
 * Rejects a vote that ends an activity unless the voter may end it.
 * SECURITY: D304: only its submitter ends a freeze or an unfreeze. Otherwise the holder of one stolen key of a root user could freeze
 * everything and reject every attempt to undo it.
 */
export function requireMayEnd(record: ActivityRecord, proposal: Proposal, caller: Caller, present: Decision | undefined): void {
  const isOwn = proposal.votes[0]?.userId === caller.userId;
  const may = isFreezeActivity(proposal.definition) ? isOwn : mayEnd(record, proposal, caller, present);
  if (!may) throw uselessVote();
}

/**
 * A vote must be needed. If the votes so far decide the activity without it (some expired, or policies changed), the vote must change the
 * outcome, or come from a user who may end the activity.
 * SECURITY: a user whose approval is not needed can neither have an activity executed nor end it by approving it.
 */
export function requireUsefulVote(
  record: ActivityRecord,
  proposal: Proposal,
  vote: VoteRecord,
  before: Decision,
  after: Decision,
): void {
  const { userId } = vote;
  const isPending = before.outcome === 'NEEDS_CONSENSUS';
  const isNeeded = isPending
    ? before.mayApprove.includes(userId)
    : before.outcome !== after.outcome || mayEnd(record, proposal, vote, before);
  const isUseless = !isNeeded || (after.outcome === 'DENY' && after.by !== 'POLICY');
  const hasApproved = standingApprovals(approvable(proposal)).some(({ user }) => user.id === userId);
  if (!isUseless) {
    if (isPending && hasApproved) requireNewMethod(proposal, vote);
    return;
  }
  if (!hasApproved) throw uselessVote();
  throw new ServiceError(
    'POLICY_DENIED',
    'This user has already approved the activity. An approval counts once; other users must approve.',
  );
}

/** A user approves twice only to use another method that an MFA policy demands. */
function requireNewMethod(proposal: Proposal, vote: VoteRecord): void {
  const shown = (votes: readonly VoteRecord[]) =>
    mfaStatesOf({ ...approvable(proposal), votes }, vote.userId).flatMap(({ satisfiedMethods }) => satisfiedMethods).length;
  if (shown([...proposal.votes, vote]) > shown(proposal.votes)) return;
  throw new ServiceError(
    'POLICY_DENIED',
    'This user has already approved the activity, and their MFA policy requires another method. get_mfa_status shows which.',
  );
}

/** SECURITY: a vote has the effect of its activity. So a session votes only on activities that its profile allows it to submit. */
export function requireScope(proposal: Proposal, { credentialId }: Caller): void {
  const refusal = scopeRefusal(approvable(proposal), credentialId);
  if (refusal !== undefined) throw new ServiceError('POLICY_DENIED', refusal);
}

function approvable({ home, definition, version, params, votes, nowMs }: Proposal): Approvable {
  return { rules: CURRENT_RULES, organization: home, definition, type: version.type, params, votes, nowMs };
}

function uselessVote(): ServiceError {
  return new ServiceError(
    'POLICY_DENIED',
    'request not authorized: neither the root quorum nor a policy requires a vote of this user on this activity.',
  );
}

import { errorCodes, ServiceError } from '@countersign/contract';
import { type Approvable, mfaStatesOf, scopeRefusal, standingApprovals } from '@countersign/judgement';
import type { Decision } from '@countersign/policy';
import type { ActivityRecord, VoteRecord } from '../../organizations/activity-record.ts';
import { isTerminal } from '../../organizations/activity-status.ts';
import { applyChanges } from '../../organizations/apply-changes.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';
import type { Awaitable } from '../../wire/awaitable.ts';
import type { Authenticated, Caller } from '../authenticate/authenticate.ts';
import type { Admit } from '../authenticate/authenticate-request.ts';
import { judge, type Proposal } from '../authorize/authorize.ts';
import { decided } from '../authorize/decision-record.ts';
import { commitActivity } from '../commit/commit-activity.ts';
import { MAX_ATTEMPTS, pauseBefore } from '../commit/retry.ts';
import { CallerRefused } from '../errors.ts';
import { type Settled, settle, throwIfRefused } from '../execute/execute.ts';
import { isTrackedAs, tracking } from '../execute/open-activities.ts';
import type { Identities } from '../plan/executor.ts';
import { identitiesIn } from '../plan/identities.ts';
import type { SubmitRequest, Submitted } from '../request.ts';
import type { PipelineServices } from '../services.ts';
import { submittedActivity } from './submitted-activity.ts';
import { mayShowMore, requesterOf, type Selection, toVote, usageChange } from './vote-record.ts';

/** A vote to cast on the activity that a fingerprint names. */
export interface Ballot {
  readonly fingerprint: string;
  readonly selection: Selection;
  /** What the voter stamped: an approval, a rejection, or the activity's own body. */
  readonly request: SubmitRequest;
  readonly authenticated: Authenticated;
}

/**
 * Casts votes. Every vote judges the activity anew, with the policies, users and credentials of now.
 * INVARIANT: a vote is written as the next revision of its activity, on the organization version it was judged on; of two votes that
 * would each end the activity, one is refused and then meets a finished activity.
 */
export function createVoting(services: PipelineServices, { renew }: Admit) {
  const { snapshots, activities, exclusive, clock } = services;
  return { vote };

  async function vote(ballot: Ballot): Promise<Submitted> {
    const { organizationId } = ballot.request;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      await pauseBefore(attempt);
      const identities = await identitiesFor(ballot);
      const voted = await exclusive.run(organizationId, () => voteOnce(ballot, identities), attempt > 0);
      if (voted !== undefined) return voted;
      snapshots.drop(organizationId);
    }
    throw new ServiceError(
      'CONFLICT',
      'The activity kept changing while this vote was counted. Nothing was done; send the same request again.',
    );
  }

  /** Who the tokens of the activity speak of; undefined where there is no such activity, or none that could still be carried out. */
  async function identitiesFor({ fingerprint, request: { organizationId } }: Ballot): Promise<Identities | undefined> {
    const record = await activities.byFingerprint(organizationId, fingerprint);
    if (record === undefined || isTerminal(record.status)) return undefined;
    const { definition, params } = submittedActivity(record);
    return identitiesIn(services, definition, params);
  }

  /** Undefined when the organization or the activity moved meanwhile. */
  async function voteOnce(ballot: Ballot, identities: Identities | undefined): Promise<Submitted | undefined> {
    // No commit checks the refusal of a vote, so the voter is judged by the stored version.
    await snapshots.current(ballot.request.organizationId);
    const admitted = await renew(ballot.request, ballot.authenticated);
    if (admitted.kind === 'TAKEN_BEFORE') return admitted.submitted;
    const { caller, target, home } = admitted.authenticated;
    const stored = await activities.withRevision(target.id, ballot.fingerprint);
    if (stored === undefined) {
      await activities.refuseArchived(target.id, { fingerprint: ballot.fingerprint });
      throw new ServiceError(
        'NOT_FOUND',
        'No activity found with fingerprint. Consensus activities must target an existing activity by fingerprint.',
        {
          violations: [
            { field: 'fingerprint', description: 'No activity of this organization that waits for votes, or did, has it.' },
          ],
        },
      );
    }
    const { record, revision } = stored;
    const repeated = record.votes.some(({ message, userId }) => message === ballot.request.bodyText && userId === caller.userId);
    if (repeated && !mayShowMore(record, caller)) {
      throwIfRefused(record);
      return { record, organization: target, caller };
    }
    if (isTerminal(record.status)) {
      throw new ServiceError('PRECONDITION_FAILED', `The activity has ended (${record.status}); no further vote counts.`, {
        activityId: record.id,
      });
    }
    if (identities === undefined) return undefined;
    if (!isTrackedAs(target, record)) {
      // Either the organization moved on between the two reads, or the activity was put back: its changes move the head too.
      if ((await snapshots.current(target.id)) !== target) return undefined;
      throw activities.tampered(target.id, `the activity ${record.id} was put back to an older state`);
    }
    requireJudge(record, home);
    const settled = await count(ballot, record, caller, { target, home, identities });
    const committed = await commitActivity(services, { target, home }, settled, { status: record.status, revision });
    if (committed.kind !== 'TAKEN') return undefined;
    throwIfRefused(committed.record);
    return { record: committed.record, organization: settled.sealed.next ?? target, caller };
  }

  async function count(ballot: Ballot, record: ActivityRecord, caller: Caller, where: Where): Promise<Settled> {
    const { target } = where;
    const nowMs = clock.nowMs();
    const changes = usageChange(caller, nowMs);
    const proposal = { ...submittedActivity(record), ...where, votes: record.votes, nowMs, changes };
    const ended = (final: ActivityRecord): Settled => ({
      record: final,
      sealed: applyChanges(services.vault.integrity, target, [...changes, ...tracking(target, final)]),
      forget: [],
    });
    const vote = toVote(ballot.request, caller, ballot.selection, services.newId(), nowMs);
    const rejects = ballot.selection === 'VOTE_SELECTION_REJECTED';
    const votes = [...record.votes, vote];
    requireScope(proposal, caller);
    const before = await orLasting(() => judge(services, proposal));
    if (before instanceof ServiceError || rejects) {
      requireSay(record, proposal, caller, before instanceof ServiceError ? undefined : before.decision);
      return ended(rejects ? rejected(record, vote, nowMs) : failed({ ...record, votes }, before as ServiceError, nowMs));
    }
    const approved = { ...proposal, votes };
    const judged = await judge(services, approved);
    requireWelcome(record, proposal, vote, before.decision, judged.decision);
    const carried = { ...approved, requester: requesterOf(caller, ballot.request.stamped) };
    const settled = await orLasting(() => settle(services, carried, judged, record));
    if (!(settled instanceof ServiceError)) return settled;
    return ended(failed(decided(services, approved, judged, record), settled, nowMs));
  }
}

/** The organization that an activity belongs to, the one whose users judge it, and who its tokens speak of. */
type Where = Pick<Proposal, 'target' | 'home' | 'identities'>;

/** Votes come from the organization that the submitter belongs to. */
function requireJudge({ judgedBy, organizationId }: ActivityRecord, home: Snapshot): void {
  if (home.id !== (judgedBy ?? organizationId)) throw unwelcomeVoter();
}

/** What the activity needs is gone (a key was deleted, a name is taken): it can never be carried out, and ends with this vote. */
async function orLasting<T>(work: () => Awaitable<T>): Promise<T | ServiceError> {
  try {
    return await work();
  } catch (error) {
    const ofCaller = error instanceof CallerRefused;
    if (error instanceof ServiceError && !ofCaller && errorCodes[error.code].status < 500) return error;
    throw error;
  }
}

/** Who may end an activity: its submitter, the root users, and those whose approval it waits for (or last waited for, if it does not). */
function hasSay(
  record: ActivityRecord,
  { home, votes }: Proposal,
  { userId }: Pick<Caller, 'userId'>,
  present?: Decision,
): boolean {
  const { mayApprove = [] } = present?.outcome === 'NEEDS_CONSENSUS' ? present : (record.decisions.at(-1) ?? {});
  return votes[0]?.userId === userId || home.profile.rootQuorum.userIds.includes(userId) || mayApprove.includes(userId);
}

function requireSay(record: ActivityRecord, proposal: Proposal, caller: Caller, present: Decision | undefined): void {
  if (!hasSay(record, proposal, caller, present)) throw unwelcomeVoter();
}

/**
 * Only those may approve whose approval brings the activity forward. Where the votes so far settle it by themselves (they have
 * expired, or policies changed), it takes an approval that changes the outcome, or somebody who may end the activity.
 * SECURITY: a user who has no say can neither have an activity carried out nor end it by approving it.
 */
function requireWelcome(record: ActivityRecord, proposal: Proposal, vote: VoteRecord, before: Decision, after: Decision): void {
  const { userId } = vote;
  const moves = before.outcome !== after.outcome || hasSay(record, proposal, vote, before);
  const waits = before.outcome === 'NEEDS_CONSENSUS';
  const welcome = waits ? before.mayApprove.includes(userId) : moves;
  const inVain = after.outcome === 'DENY' && after.by !== 'POLICY';
  const approved = standingApprovals(approvable(proposal)).some(({ user }) => user.id === userId);
  if (welcome && !inVain && waits && approved) requireProgress(proposal, vote);
  if (welcome && !inVain) return;
  if (!approved) throw unwelcomeVoter();
  throw new ServiceError(
    'POLICY_DENIED',
    'This user has approved the activity already. An approval counts once; others have to follow.',
  );
}

/** Who has approved already approves again only to show something else that their MFA policies demand. */
function requireProgress(proposal: Proposal, vote: VoteRecord): void {
  const shown = (votes: readonly VoteRecord[]) =>
    mfaStatesOf({ ...approvable(proposal), votes }, vote.userId).flatMap(({ satisfiedMethods }) => satisfiedMethods).length;
  if (shown([...proposal.votes, vote]) > shown(proposal.votes)) return;
  throw new ServiceError(
    'POLICY_DENIED',
    'This user has approved the activity already, and an MFA policy of theirs demands another method than this one. get_mfa_status shows which.',
  );
}

/** SECURITY: a vote does what the activity does. So a session votes only on what its profile allows it to submit. */
function requireScope(proposal: Proposal, { credentialId }: Caller): void {
  const refusal = scopeRefusal(approvable(proposal), credentialId);
  if (refusal !== undefined) throw new ServiceError('POLICY_DENIED', refusal);
}

function approvable({ home, definition, version, params, votes, nowMs }: Proposal): Approvable {
  return { organization: home, definition, type: version.type, params, votes, nowMs };
}

function unwelcomeVoter(): ServiceError {
  return new ServiceError(
    'POLICY_DENIED',
    'request not authorized: neither the root quorum nor a policy asks for a vote of this user on this activity.',
  );
}

function rejected(record: ActivityRecord, vote: VoteRecord, nowMs: number): ActivityRecord {
  const decision = {
    voteId: vote.id,
    createdAtMs: nowMs,
    outcome: 'DENY' as const,
    by: 'REJECTION',
    policyIds: [],
    evaluations: [],
  };
  const votes = [...record.votes, vote];
  return { ...record, status: 'ACTIVITY_STATUS_REJECTED', votes, decisions: [...record.decisions, decision], updatedAtMs: nowMs };
}

function failed(record: ActivityRecord, { code, message }: ServiceError, nowMs: number): ActivityRecord {
  const failure = { code: errorCodes[code].grpc, message, details: [] };
  return { ...record, status: 'ACTIVITY_STATUS_FAILED', failure, updatedAtMs: nowMs };
}

import { errorCodes, ServiceError } from '@countersign/contract';
import { isFreezeActivity } from '@countersign/judgement';
import { type ActivityRecord, isTerminal, type VoteRecord } from '../../organizations/activities/activity-record.ts';
import { withComparison } from '../../organizations/activities/comparison.ts';
import { submittedActivity } from '../../organizations/activities/submitted-activity.ts';
import { renewCaller } from '../authenticate/authenticate-request.ts';
import { authorizeActivity } from '../authorize/authorize.ts';
import { decisionBase, withDecision } from '../authorize/decision-record.ts';
import { commitActivity } from '../commit/commit-activity.ts';
import { retryAttempts } from '../commit/retry.ts';
import type { Authorization, Authorized, Committed, Executed, Identified, Proposal, Proposed } from '../context.ts';
import { CallerRefused } from '../errors.ts';
import { denialMessage, requireUnfrozen, throwIfDenied } from '../execute/denial.ts';
import { executeActivity, isTrackedAs, withoutExecution } from '../execute/execute.ts';
import type { Identities, PlanContext } from '../plan/executor.ts';
import { planActivity } from '../plan/plan.ts';
import { chainFor, identitiesIn } from '../plan/prepare.ts';
import type { Submitted } from '../request.ts';
import { executorOf, type PipelineServices } from '../services.ts';
import { Answer, Retry, stages, timed } from '../stages.ts';
import { mightApprove, requireMayEnd, requireSameOrganization, requireScope, requireUsefulVote } from './vote-checks.ts';
import { mayShowMore, requesterOf, type Selection, toVote, usageChange } from './vote-record.ts';

/** A vote on the activity that a fingerprint names. The request is an approval, a rejection, or the activity's own body. */
export interface Vote extends Identified {
  readonly fingerprint: string;
  readonly selection: Selection;
}

/** A vote in one attempt. `identities` is undefined if the activity does not exist or has ended. */
interface VoteAttempt extends Vote {
  readonly identities: Identities | undefined;
  readonly chain?: PlanContext['chain'];
}

/** A vote on a pending activity. */
type OpenedVote = Vote & Proposed;

/** The stages of a vote. The last ones are shared with new activities. */
const attempt = stages(
  renewCaller<VoteAttempt>,
  timed('plan', openActivity),
  timed('authorize', countVote),
  timed('commit', commitActivity),
  timed('respond', respond),
);

/** Authorizes an activity with the votes of its proposal. */
async function decide(services: PipelineServices, context: Proposed): Promise<Authorized> {
  return authorizeActivity(services, await planActivity(services, context));
}

/**
 * Casts a vote. Every vote authorizes the activity again, with current policies, users and credentials.
 * INVARIANT: a vote is stored as the next revision of its activity, on the organization version it was authorized with; of two votes that
 * would each end the activity, the second meets an activity that has ended.
 */
export async function castVote(services: PipelineServices, vote: Vote): Promise<Submitted> {
  const { organizationId } = vote.request;
  return retryAttempts(services, {
    organizationId,
    isLocked: true,
    async attempt(locked) {
      const prepared = await prepareVote(services, vote);
      return locked(async () => {
        // No commit checks the rejection of a vote, so the voter is authenticated against the stored version.
        await services.organizations.snapshots.current(organizationId);
        return attempt(services, { ...vote, ...prepared });
      });
    },
    async answerStored() {
      throw new Error('the store reports the fingerprint of a vote');
    },
    conflict: 'The activity changed repeatedly while this vote was counted.',
  });
}

/** What other services say about an activity. They are asked before the lock is taken, since they may be slow. A rejection needs no chain. */
async function prepareVote(
  services: PipelineServices,
  { fingerprint, selection, authenticated: { target: organization, home, caller }, request: { organizationId } }: Vote,
): Promise<Pick<VoteAttempt, 'identities' | 'chain'>> {
  const record = await services.organizations.activities.byFingerprint(organizationId, fingerprint);
  if (record === undefined || isTerminal(record.status)) return { identities: undefined };
  const { definition, version, params } = submittedActivity(record);
  const executor = executorOf(services, definition);
  const identities = await identitiesIn(services, executor, params);
  if (executor.readChain === undefined || selection === 'VOTE_SELECTION_REJECTED') return { identities };
  if (!mightApprove(record, { home, definition, version }, caller)) return { identities };
  return { identities, chain: await chainFor(services, executor, { params, organization, planned: record.intent }) };
}

/** Stage: loads the activity, and checks that it is pending and that the voter may vote on it. */
async function openActivity(services: PipelineServices, attempt: VoteAttempt): Promise<OpenedVote | Answer | Retry> {
  const { activities, snapshots } = services.organizations;
  const { request, authenticated, fingerprint, selection, identities, chain } = attempt;
  const { caller, target, home } = authenticated;
  const found = await activities.withRevision(target.id, fingerprint);
  if (found === undefined || !isFreezeActivity(submittedActivity(found.record).definition)) requireUnfrozen(home, caller.userId);
  if (found === undefined) {
    await activities.refuseArchived(target.id, { fingerprint });
    throw noSuchActivity();
  }
  const { record, revision } = found;
  const isRepeated = record.votes.some(({ message, userId }) => message === request.bodyText && userId === caller.userId);
  if (isRepeated && !mayShowMore(record, caller)) {
    throwIfDenied(record, authenticated);
    return new Answer({ record, organization: target, caller });
  }
  if (isTerminal(record.status)) {
    throw new ServiceError('PRECONDITION_FAILED', `The activity has ended (${record.status}); no further vote counts.`, {
      activityId: record.id,
    });
  }
  if (identities === undefined) return new Retry('REVISION_MOVED');
  if (!isTrackedAs(target, record)) {
    // Either the organization changed between the two reads, or the activity was rolled back: its changes also change the head.
    if ((await snapshots.current(target.id)) !== target) return new Retry('VERSION_MOVED');
    throw activities.tampered(target.id, `the activity ${record.id} was rolled back to an older state`);
  }
  requireSameOrganization(record, home);
  const nowMs = services.clock.nowMs();
  const changes = usageChange(caller, nowMs);
  const submitted = submittedActivity(record);
  const executor = executorOf(services, submitted.definition);
  const base = { ...submitted, executor, target, home, identities, votes: record.votes, nowMs, changes };
  const proposal = executor.readChain === undefined ? base : { ...base, chain, planned: record.intent };
  requireScope(proposal, caller);
  return { request, authenticated, fingerprint, selection, proposal, record, stored: { status: record.status, revision } };
}

/** Stage: adds the vote, and executes the activity if it is now allowed. A rejection or a permanent error ends the activity. */
async function countVote(services: PipelineServices, opened: OpenedVote): Promise<Executed | Retry> {
  const { request, authenticated, selection, proposal, record, stored } = opened;
  const { caller } = authenticated;
  const { nowMs } = proposal;
  const end = (final: ActivityRecord, authorization?: Authorization): Executed => ({
    request,
    authenticated,
    stored,
    authorization,
    execution: withoutExecution(services, proposal, withComparison(final, proposal)),
  });
  const vote = toVote(request, caller, selection, services.newId(), nowMs);
  const isRejection = selection === 'VOTE_SELECTION_REJECTED';
  const votes = [...record.votes, vote];
  const before = await orLastingError(decide(services, opened));
  if (before instanceof ServiceError || isRejection) {
    requireMayEnd(record, proposal, caller, before instanceof ServiceError ? undefined : before.authorization.decision);
    return end(
      isRejection ? rejectedRecord(record, vote, proposal) : failedRecord({ ...record, votes }, before as ServiceError, nowMs),
    );
  }
  requireNotFrozen(before.authorization);
  const after = await decide(services, { ...opened, proposal: { ...proposal, votes } });
  requireUsefulVote(record, proposal, vote, before.authorization.decision, after.authorization.decision);
  const requester = requesterOf(caller, request.stamped);
  const executed = await orLastingError(executeActivity(services, { ...after, proposal: { ...after.proposal, requester } }));
  if (!(executed instanceof ServiceError)) return executed;
  const decided = withDecision(services, after.proposal, after.plan, after.authorization, record);
  return end(failedRecord(decided, executed, nowMs), after.authorization);
}

/** Rejects an approval of an activity that a freeze stops. The activity stays pending with its votes. */
function requireNotFrozen({ decision, judgement }: Authorization): void {
  if (decision.outcome === 'DENY' && decision.by === 'FROZEN')
    throw new CallerRefused('FROZEN', denialMessage(decision, judgement));
}

/** Stage: the response to the voter. */
async function respond(_: PipelineServices, { record, execution, authenticated }: Committed): Promise<Submitted> {
  throwIfDenied(record, authenticated);
  const { caller, target } = authenticated;
  return { record, organization: execution.applied.next ?? target, caller };
}

/**
 * Returns a permanent error, for example a deleted key or a taken name. It ends the activity with this vote.
 * SECURITY: D1011: an error that passes, such as that of a limit which another user of the organization used up, ends nothing.
 */
async function orLastingError<T>(work: Promise<T>): Promise<T | ServiceError> {
  try {
    return await work;
  } catch (error) {
    const isOfCaller = error instanceof CallerRefused;
    if (!(error instanceof ServiceError) || isOfCaller) throw error;
    const { status, retry } = errorCodes[error.code];
    if (status < 500 && !retry) return error;
    throw error;
  }
}

function noSuchActivity(): ServiceError {
  const description = 'No activity of this organization that is or was pending has it.';
  return new ServiceError(
    'NOT_FOUND',
    'No activity found with fingerprint. Consensus activities must target an existing activity by fingerprint.',
    { violations: [{ field: 'fingerprint', description }] },
  );
}

/** The record of a rejected activity. */
function rejectedRecord(record: ActivityRecord, vote: VoteRecord, { home, nowMs }: Proposal): ActivityRecord {
  const decision = {
    ...decisionBase(home),
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

/** The record of an activity that can no longer be executed. */
function failedRecord(record: ActivityRecord, { code, message }: ServiceError, nowMs: number): ActivityRecord {
  const failure = { code: errorCodes[code].grpc, message, details: [] };
  return { ...record, status: 'ACTIVITY_STATUS_FAILED', failure, updatedAtMs: nowMs };
}

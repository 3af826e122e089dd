import { ServiceError } from '@countersign/contract';
import { readParameters } from '../wire/read-parameters.ts';
import { admit } from './authenticate/admit.ts';
import { authenticateCaller, renewCaller } from './authenticate/authenticate-request.ts';
import { authorizeActivity, denySubmitted } from './authorize/authorize.ts';
import { commitActivity } from './commit/commit-activity.ts';
import { answerReplay, InFlight, requireAfterLoss } from './commit/replay.ts';
import { retryAttempts } from './commit/retry.ts';
import type { Accepted, Authorized, Committed, Executed, Identified, Planned, Prepared } from './context.ts';
import { denialOf, throwIfDenied } from './execute/denial.ts';
import { executeActivity } from './execute/execute.ts';
import { planActivity, proposeActivity } from './plan/plan.ts';
import { checkForApprovers, prepare } from './plan/prepare.ts';
import type { SubmitRequest, Submitted } from './request.ts';
import type { PipelineServices } from './services.ts';
import { Answer, Retry, type Stage, stages, timed } from './stages.ts';
import { castVote } from './vote/vote.ts';

/** Once per request: authenticate, admit, and validate. */
const accept = stages(timed('authenticate', authenticateCaller), admit, timed('validate', readRequest));

/** Once per attempt: plan, authorize, execute, and commit. */
const attempt = stages(
  renewCaller<Prepared>,
  proposeActivity,
  recheckErrors(
    stages(
      timed('plan', planActivity),
      timed('authorize', authorizeSubmitted),
      timed('execute', executeActivity),
      limitStoredDenials,
      timed('commit', commitActivity),
    ),
  ),
  timed('respond', respond),
);

/**
 * Executes activities.
 * INVARIANT: nothing of an execution leaves before its commit is durable. A commit succeeds only on the organization version that the
 * decision was made on. A fingerprint is executed at most once in its organization.
 */
export function createSubmit(services: PipelineServices): (request: SubmitRequest) => Promise<Submitted> {
  const inFlight = new InFlight<Submitted>();

  return async function submit(request) {
    const accepted = await accept(services, { request });
    if (accepted instanceof Answer) return accepted.submitted;
    if (accepted instanceof Retry) throw new Error('a request is retried before its first attempt');
    const { vote: selection } = request.definition;
    const fingerprint = fingerprintOf(accepted);
    await requireAfterLoss(services, accepted, fingerprint);
    if (selection !== undefined) return castVote(services, { ...accepted, fingerprint, selection });
    const key = `${request.organizationId}/${request.fingerprint}`;
    return inFlight.run(key, (isRepeated) => executeOnce(services, accepted, isRepeated));
  };
}

async function executeOnce(services: PipelineServices, accepted: Accepted, isRepeated: boolean): Promise<Submitted> {
  const { organizationId, fingerprint } = accepted.request;
  const wasExecuted = services.commits.replayCache.has(organizationId, fingerprint);
  if (isRepeated || wasExecuted) {
    const answer = await answerReplay(services, accepted);
    if (answer !== undefined) return answer;
    if (wasExecuted) {
      const what = `the activity with the fingerprint ${fingerprint} was executed, but its row is missing`;
      throw services.organizations.activities.tampered(organizationId, what);
    }
  }
  let prepared = await prepare(services, accepted);
  return retryAttempts(services, {
    organizationId,
    isLocked: prepared.executor.locksOrganization && prepared.params !== undefined,
    async attempt(locked) {
      const outcome = await locked(() => attempt(services, prepared));
      if (outcome instanceof Retry && outcome.reason === 'NOT_CHECKED') prepared = await checkForApprovers(services, prepared);
      return outcome;
    },
    async answerStored() {
      const answer = await answerReplay(services, accepted);
      if (answer === undefined) throw new Error('the store reports a fingerprint that it does not have');
      return answer;
    },
    conflict: 'The organization, or the usage of its spending limits, changed repeatedly while this request was authorized.',
  });
}

/**
 * Stage: checks the parameters against their schema.
 * SECURITY: D160: skips parameters of requests that are denied anyway; they can contain thousands of keys.
 */
async function readRequest(_: PipelineServices, { request, authenticated }: Identified): Promise<Accepted> {
  const { definition, version, bodyText } = request;
  const isVote = definition.vote !== undefined;
  const { home, target, caller } = authenticated;
  const unread = { definition, version, home, target, votes: [caller] };
  if (!isVote && denySubmitted(unread, bodyText.length) !== undefined) return { request, authenticated, params: undefined };
  await request.admitted.yieldToOthers(bodyText.length);
  return { request, authenticated, params: readParameters(request.reader, request.parameters) };
}

/** The activity that a request is about: a vote names it, and any other body is its own. */
function fingerprintOf({ request, params }: Accepted): string {
  return request.definition.vote === undefined ? request.fingerprint : (params as { readonly fingerprint: string }).fingerprint;
}

/**
 * Stage: authorizes, and ends the attempt if the request has to be checked for approvers first.
 * SECURITY: D1122: nobody is asked to approve what cannot be executed.
 */
async function authorizeSubmitted(services: PipelineServices, context: Planned): Promise<Authorized | Retry> {
  const authorized = await authorizeActivity(services, context);
  const { isUnchecked, refusal } = context.proposal;
  if (authorized.authorization.decision.outcome !== 'NEEDS_CONSENSUS') return authorized;
  if (isUnchecked === true) return new Retry('NOT_CHECKED');
  if (refusal !== undefined) throw refusal;
  return authorized;
}

/**
 * Stage: denied requests are stored for investigation, up to a daily quota per user.
 * SECURITY: D161: otherwise a user without rights fills the disk.
 */
async function limitStoredDenials(services: PipelineServices, context: Executed): Promise<Executed> {
  const { record } = context.execution;
  const { organizationId, userId } = context.authenticated.caller;
  const { errorCode } = record.failure ?? {};
  const denial =
    errorCode === 'POLICY_DENIED' || errorCode === 'FROZEN' ? denialOf(record, undefined, context.authenticated) : undefined;
  if (denial !== undefined && services.admission.storedDenials.take(`${organizationId}/${userId}`) > 0) throw denial;
  return context;
}

/** An error of an attempt may have another cause than the request, so check before returning it. */
function recheckErrors<In extends Identified>(stage: Stage<In, Committed>): Stage<In, Committed> {
  return async (services, context) => {
    try {
      return await stage(services, context);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { request, authenticated } = context;
      const { id, version } = authenticated.target;
      // An executed request can make its own replay fail (a name is taken), and the database may not have confirmed its commit.
      if ((await services.organizations.activities.byRequest(id, request)) !== undefined) return new Retry('FINGERPRINT_EXISTS');
      // Another node may have changed the organization. Authorize again before returning the error.
      if ((await services.organizations.snapshots.current(id))?.version !== version) return new Retry('VERSION_MOVED');
      throw error;
    }
  };
}

/** Stage: the response. A denied activity is an error with its id. Only the submitter gets the undisclosed part of the result. */
async function respond(_: PipelineServices, { record, execution, authenticated }: Committed): Promise<Submitted> {
  throwIfDenied(record, authenticated);
  const { disclosed, applied } = execution;
  const { caller, target } = authenticated;
  return {
    record: disclosed === undefined ? record : { ...record, result: disclosed },
    organization: applied.next ?? target,
    caller,
  };
}

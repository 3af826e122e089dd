import { ServiceError } from '@countersign/contract';
import { isFreezeActivity } from '@countersign/judgement';
import type { VoteRecord } from '../../organizations/activities/activity-record.ts';
import { StoreUnavailable } from '../../store/store-errors.ts';
import { renewCaller } from '../authenticate/authenticate-request.ts';
import type { Accepted } from '../context.ts';
import { requireUnfrozen, throwIfDenied } from '../execute/denial.ts';
import type { Submitted } from '../request.ts';
import type { PipelineServices } from '../services.ts';
import { Answer } from '../stages.ts';
import { castVote } from '../vote/vote.ts';
import { mayShowMore } from '../vote/vote-record.ts';

/**
 * The response to a body that was executed before; undefined if it was not. If another user stamped it, or an MFA policy requires the
 * credential that did, the body is an approval, unless the service stamped it for a caller of the JSON-RPC endpoint.
 */
export async function answerReplay(services: PipelineServices, accepted: Accepted): Promise<Submitted | undefined> {
  const { request } = accepted;
  const record = await services.organizations.activities.byRequest(request.organizationId, request);
  if (record === undefined) return undefined;
  // No commit checks the response to a replay, so the caller is authenticated against the stored version.
  await services.organizations.snapshots.current(request.organizationId);
  const renewed = await renewCaller(services, accepted);
  if (renewed instanceof Answer) return renewed.submitted;
  const { caller, target, home } = renewed.authenticated;
  if (!isFreezeActivity(request.definition)) requireUnfrozen(home, caller.userId);
  const isPending = record.status === 'ACTIVITY_STATUS_CONSENSUS_NEEDED';
  const hasVoted = record.votes.some(({ userId }) => userId === caller.userId);
  // SECURITY: D792: the service chose the time of this body, and a caller can make it that of another user's body. So it is no approval,
  // and only the user whose activity it is gets its result.
  const isRpc = home.apiKeys.get(caller.credentialId)?.presents !== undefined;
  if (isRpc && !hasVoted)
    throw new ServiceError('CONFLICT', 'Another user sent an equal request. Send it with another Idempotency-Key header.');
  if (isPending && !isRpc && (!hasVoted || mayShowMore(record, caller))) {
    return castVote(services, { ...renewed, fingerprint: request.fingerprint, selection: 'VOTE_SELECTION_APPROVED' });
  }
  throwIfDenied(record, renewed.authenticated);
  return { record, organization: target, caller };
}

/**
 * SECURITY: after the operator accepted that the database lost activities, a body stamped before that may belong to a lost activity. It is
 * not executed, but gets its response if its activity is stored.
 */
export async function requireAfterLoss(services: PipelineServices, accepted: Accepted, fingerprint: string): Promise<void> {
  const { request, authenticated } = accepted;
  if (Number(request.timestampMs) > services.log.installation.lossAcceptedAtMs()) return;
  const { activities } = services.organizations;
  const record = await (fingerprint === request.fingerprint
    ? activities.byRequest(request.organizationId, request)
    : activities.byFingerprint(request.organizationId, fingerprint));
  const isOwn = record?.fingerprint === request.fingerprint;
  const isStored = (vote: VoteRecord) =>
    vote.userId === authenticated.caller.userId && (isOwn || vote.message === request.bodyText);
  if (record?.votes.some(isStored)) return;
  const since = new Date(services.log.installation.lossAcceptedAtMs()).toISOString();
  throw new ServiceError(
    'TIMESTAMP_INVALID',
    `The database had lost activities when the operator accepted the loss at ${since}, and this request was stamped before that. It may have been executed already: check its outcome, then stamp a new request.`,
  );
}

/**
 * An execution in progress. It is cleared when it ends: V8 keeps old tables of a busy map, and everything they refer to, alive until the
 * next full collection.
 */
interface Entry<T> {
  work: Promise<T> | undefined;
}

/** Executions in progress by key, so that concurrent copies of one request do not all execute. */
export class InFlight<T> {
  readonly #entries = new Map<string, Entry<T>>();

  /**
   * Runs `work`. If the same key is in progress, waits for it first and then calls `work` with `isRepeated`.
   * INVARIANT: nothing is awaited between reading and setting the map.
   */
  async run(key: string, work: (isRepeated: boolean) => Promise<T>): Promise<T> {
    const running = this.#entries.get(key)?.work;
    if (running !== undefined) {
      await ignoreFailure(running);
      return work(true);
    }
    const entry: Entry<T> = { work: work(false) };
    this.#entries.set(key, entry);
    try {
      return (await entry.work) as T;
    } finally {
      this.#entries.delete(key);
      entry.work = undefined;
    }
  }
}

/** A failure belongs to its own caller, except an outage: a second attempt would only wait for the next timeout. */
async function ignoreFailure(running: Promise<unknown>): Promise<void> {
  try {
    await running;
  } catch (error) {
    const isOutage = error instanceof StoreUnavailable || (error instanceof ServiceError && error.code === 'UNAVAILABLE');
    if (isOutage) throw error;
  }
}

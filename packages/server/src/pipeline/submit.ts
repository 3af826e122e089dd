import { ServiceError } from '@countersign/contract';
import type { ActivityRecord, VoteRecord } from '../organizations/activity-record.ts';
import type { Snapshot } from '../organizations/snapshot.ts';
import { StoreUnavailable } from '../store/store-faults.ts';
import { readParameters } from '../wire/read-parameters.ts';
import type { Authenticated } from './authenticate/authenticate.ts';
import { createAdmit } from './authenticate/authenticate-request.ts';
import { requireLive } from './authenticate/timestamp-window.ts';
import { claimantOf } from './authenticate/unverified-caller.ts';
import { judge, type Proposal } from './authorize/authorize.ts';
import { denyEarly, withoutPlan } from './authorize/early-denial.ts';
import { commitActivity } from './commit/commit-activity.ts';
import { storingBy } from './commit/quota-owner.ts';
import { MAX_ATTEMPTS, PATIENT_ATTEMPTS, pauseBefore } from './commit/retry.ts';
import { refusalIn, type Settled, settle, throwIfRefused, withDisclosed } from './execute/execute.ts';
import { notesOn } from './plan/approver-warnings.ts';
import type { Identities } from './plan/executor.ts';
import { identitiesIn, noIdentities } from './plan/identities.ts';
import type { SubmitRequest, Submitted } from './request.ts';
import { executorOf, type PipelineServices } from './services.ts';
import { createVoting } from './vote/vote.ts';
import { mayShowMore, requesterOf, toVote, usageChange } from './vote/vote-record.ts';

/** What one attempt to carry a request out came to. */
type Attempt =
  | { readonly kind: 'DONE'; readonly submitted: Submitted }
  /**
   * The organization changed meanwhile. The request is judged again on the stored version. `changes`: it would change the organization
   * itself, if only by waiting for approvals, so it goes on in turn with others that do.
   */
  | { readonly kind: 'MOVED'; readonly authenticated: Authenticated; readonly changes?: boolean }
  /** A limit that the decision asked for has another value now. The request is judged again. */
  | { readonly kind: 'USAGE_MOVED'; readonly authenticated: Authenticated }
  /** The store holds an activity with this fingerprint already. */
  | { readonly kind: 'SEEN_BEFORE'; readonly authenticated: Authenticated };

/**
 * A request that is being carried out. It is emptied when that is done: V8 links each earlier table of a map to its next one, so what leaves a
 * busy map through a table that grew old lives on, with all that comes after it, until the next full garbage collection.
 */
interface UnderWay {
  work: Promise<unknown> | undefined;
}

/**
 * authenticate → plan → authorize → run → commit.
 * INVARIANT: nothing that `run` made leaves before its commit is durable. The commit is taken only on the organization version that
 * the decision was made on. A fingerprint is carried out at most once in its organization.
 */
export function createSubmit(services: PipelineServices) {
  const { snapshots, activities, carriedOut, exclusive, clock, newId } = services;
  const admission = createAdmit(services);
  const voting = createVoting(services, admission);
  const underWay = new Map<string, UnderWay>();

  return async function submit(request: SubmitRequest): Promise<Submitted> {
    const admitting = admission.admit(request);
    const admitted = admitting instanceof Promise ? await admitting : admitting;
    if (admitted.kind === 'TAKEN_BEFORE') return admitted.submitted;
    const { authenticated } = admitted;
    const { organizationId, credentialId } = authenticated.caller;
    services.rates.prove(claimantOf(request.stamped), { organizationId, credentialId, isLogin: isLogin(request.definition) });
    requireLive(request.timestampMs, clock.nowMs());
    services.storedBytes.requireRoom(
      storingBy(services, authenticated, { type: request.version.type, publicKey: authenticated.proof?.publicKey }),
    );
    const { definition, version } = request;
    const { vote: selection } = definition;
    // SECURITY: D160: skip parsing parameters of requests that are denied anyway; they can contain thousands of keys.
    const unread = { definition, version, home: authenticated.home, votes: [authenticated.caller] };
    const isDenied = selection === undefined && denyEarly(unread, request.bodyText.length) !== undefined;
    const flow = () => services.rates.flowOf(claimantOf(request.stamped));
    const next = isDenied ? undefined : services.turns.goOn(flow, request.bodyText.length, () => false);
    if (next !== undefined) await next;
    const params = isDenied ? undefined : readParameters(request.reader, request.parameters);
    const { fingerprint } = selection === undefined ? request : (params as { fingerprint: string });
    if (Number(request.timestampMs) <= services.lossAcceptedAtMs()) await requireKnown(request, authenticated, fingerprint);
    if (selection !== undefined) return voting.vote({ fingerprint, selection, request, authenticated });
    const key = `${request.organizationId}/${request.fingerprint}`;
    const before = underWay.get(key)?.work;
    // The same body is being carried out: its outcome, not a second execution, is the answer. Its failure belongs to its own caller,
    // except for an outage: a second attempt would only wait for the next time-out.
    if (before !== undefined) await before.catch((error: unknown) => isOutage(error) && Promise.reject(error));
    const work = carryOut(request, params, authenticated, before !== undefined);
    const mine: UnderWay = { work };
    underWay.set(key, mine);
    try {
      return await work;
    } finally {
      if (underWay.get(key) === mine) underWay.delete(key);
      mine.work = undefined;
    }
  };

  /**
   * SECURITY: the database lost activities after this body was stamped, and it may be of one of them. So it is answered only if it is
   * stored, and not carried out: its sender finds out, and stamps a new one.
   */
  async function requireKnown(request: SubmitRequest, { caller }: Authenticated, fingerprint: string): Promise<void> {
    const record = await (fingerprint === request.fingerprint
      ? activities.byRequest(request.organizationId, request)
      : activities.byFingerprint(request.organizationId, fingerprint));
    const isOwn = record?.fingerprint === request.fingerprint;
    const isKnown = (vote: VoteRecord) => vote.userId === caller.userId && (isOwn || vote.message === request.bodyText);
    if (record?.votes.some(isKnown)) return;
    const since = new Date(services.lossAcceptedAtMs()).toISOString();
    throw new ServiceError(
      'TIMESTAMP_INVALID',
      `The database had lost activities when the service went on with it at ${since}, and this request was stamped before that. It may have been carried out already: find out, then stamp a new request.`,
    );
  }

  /** `params` is undefined for a request that will be refused, as far as is known, without a look at them. */
  async function carryOut(
    request: SubmitRequest,
    params: unknown,
    first: Authenticated,
    mayBeKnown: boolean,
  ): Promise<Submitted> {
    const done = carriedOut.has(request.organizationId, request.fingerprint);
    if (mayBeKnown || done) {
      const known = await replay(request, first);
      if (known !== undefined) return known;
      if (done)
        throw activities.tampered(
          request.organizationId,
          `the activity with the fingerprint ${request.fingerprint} was carried out and its row is gone`,
        );
    }
    const executor = executorOf(services, request.definition);
    const isDenied = params === undefined;
    const identifying = isDenied ? undefined : identitiesIn(services, request.definition, params);
    const identities = identifying instanceof Promise ? await identifying : identifying;
    const noting = isDenied ? [] : notesOn(services, request.definition, params, first.target);
    const notes = noting instanceof Promise ? await noting : noting;
    let authenticated = first;
    let changes = executor.exclusive && !isDenied;
    for (let count = 0; count < MAX_ATTEMPTS; count++) {
      if (count > 0) await pauseBefore(count);
      const once = () => attempt(request, params, { identities, notes }, authenticated);
      const inTurn = changes || count >= PATIENT_ATTEMPTS;
      const attempted = await (inTurn ? exclusive.run(request.organizationId, once, count > 0) : once());
      if (attempted.kind === 'DONE') return attempted.submitted;
      // INVARIANT: a repetition may become a vote, and a vote waits for its own turn. So this happens outside the turn of the attempt.
      if (attempted.kind === 'SEEN_BEFORE') return replayKnown(request, attempted.authenticated);
      authenticated = attempted.authenticated;
      if (attempted.kind === 'USAGE_MOVED') continue;
      changes ||= attempted.changes === true;
      snapshots.drop(request.organizationId);
    }
    throw new ServiceError(
      'CONFLICT',
      'The organization, or what its limits have counted, kept changing while this request was judged. Nothing was done; send the same request again.',
    );
  }

  async function attempt(
    request: SubmitRequest,
    early: unknown,
    { identities: known, notes }: { readonly identities: Identities | undefined; readonly notes: readonly string[] },
    earlier: Authenticated,
  ): Promise<Attempt> {
    const admitting = admission.renew(request, earlier);
    const admitted = admitting instanceof Promise ? await admitting : admitting;
    if (admitted.kind === 'TAKEN_BEFORE') return { kind: 'DONE', submitted: admitted.submitted };
    const { authenticated } = admitted;
    const { caller, target, home } = authenticated;
    const nowMs = clock.nowMs();
    const { definition, version } = request;
    const votes = [toVote(request, caller, 'VOTE_SELECTION_APPROVED', newId(), nowMs)];
    const denial = denyEarly({ definition, version, home, votes }, request.bodyText.length);
    const refused = denial && withoutPlan(denial, { definition, version, home, target, votes, nowMs });
    const params = early ?? (refused === undefined ? readParameters(request.reader, request.parameters) : undefined);
    const unidentified: Proposal = {
      definition,
      version,
      params,
      target,
      home,
      votes,
      nowMs,
      identities: known ?? noIdentities,
      requester: requesterOf(caller, request.stamped),
      changes: usageChange(caller, nowMs),
    };
    const proposal =
      known === undefined && refused === undefined
        ? { ...unidentified, identities: await identitiesIn(services, definition, params) }
        : unidentified;
    let settled: Settled;
    let stored: ActivityRecord;
    try {
      const judging = refused ?? judge(services, proposal);
      const judged = judging instanceof Promise ? await judging : judging;
      const settling = settle(services, proposal, judged, newRecord(request, newId(), home, notes, nowMs));
      settled = settling instanceof Promise ? await settling : settling;
      requireRoomToKeep(settled.record, caller);
      const committed = await commitActivity(services, proposal, settled, undefined);
      if (committed.kind === 'VERSION_MOVED') return { kind: 'MOVED', authenticated, changes: settled.sealed.head !== undefined };
      if (committed.kind === 'USAGE_MOVED') return { kind: 'USAGE_MOVED', authenticated };
      if (committed.kind !== 'TAKEN') return { kind: 'SEEN_BEFORE', authenticated };
      stored = committed.record;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      // What was carried out already may make its own repetition impossible (a name is taken): then the answer is the first outcome.
      // The same holds where the database could not say whether it took the commit.
      if ((await activities.byRequest(target.id, request)) !== undefined) return { kind: 'SEEN_BEFORE', authenticated };
      // Another node may have changed the organization since it was read. Judge again before refusing.
      if ((await snapshots.current(target.id))?.version !== target.version) return { kind: 'MOVED', authenticated };
      throw error;
    }
    throwIfRefused(stored);
    const organization = settled.sealed.next ?? target;
    return { kind: 'DONE', submitted: { record: withDisclosed(stored, settled), organization, caller } };
  }

  /**
   * SECURITY: D161: what is refused is kept, so that it can be looked into. So many refusals of one user in a day tell enough, and more
   * of them would only fill the disk.
   */
  function requireRoomToKeep(record: ActivityRecord, { organizationId, userId }: Authenticated['caller']): void {
    const refusal = record.failure?.errorCode === 'POLICY_DENIED' ? refusalIn(record, undefined) : undefined;
    if (refusal !== undefined && services.keptRefusals.take(`${organizationId}/${userId}`) > 0) throw refusal;
  }

  async function replayKnown(request: SubmitRequest, authenticated: Authenticated): Promise<Submitted> {
    const known = await replay(request, authenticated);
    if (known === undefined) throw new Error('the store names a fingerprint that it does not hold');
    return known;
  }

  /**
   * The activity that this very body led to before, if it did. Stamped by another user, or with another
   * credential that an MFA policy demands, the body is an approval.
   */
  async function replay(request: SubmitRequest, earlier: Authenticated): Promise<Submitted | undefined> {
    const record = await activities.byRequest(request.organizationId, request);
    if (record === undefined) return undefined;
    // No commit checks the answer to a repetition, so the caller is judged by the stored version.
    await snapshots.current(request.organizationId);
    const admitted = await admission.renew(request, earlier);
    if (admitted.kind === 'TAKEN_BEFORE') return admitted.submitted;
    const { caller, target } = admitted.authenticated;
    const open = record.status === 'ACTIVITY_STATUS_CONSENSUS_NEEDED';
    const voted = record.votes.some(({ userId }) => userId === caller.userId);
    if (open && (!voted || mayShowMore(record, caller))) {
      const { fingerprint } = request;
      const { authenticated } = admitted;
      return voting.vote({ fingerprint, selection: 'VOTE_SELECTION_APPROVED', request, authenticated });
    }
    throwIfRefused(record);
    return { record, organization: target, caller };
  }
}

function isLogin({ policy: { resource, action } }: SubmitRequest['definition']): boolean {
  return resource === 'AUTH' && action === 'CREATE';
}

function isOutage(error: unknown): boolean {
  return error instanceof StoreUnavailable || (error instanceof ServiceError && error.code === 'UNAVAILABLE');
}

function newRecord(
  request: SubmitRequest,
  id: string,
  home: Snapshot,
  warnings: readonly string[],
  nowMs: number,
): ActivityRecord {
  const record: ActivityRecord = {
    id,
    organizationId: request.organizationId,
    type: request.version.type,
    status: 'ACTIVITY_STATUS_CREATED',
    fingerprint: request.fingerprint,
    timestampMs: request.timestampMs,
    intent: null,
    result: null,
    failure: null,
    tracked: true,
    votes: [],
    decisions: [],
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
  const isOfParent = home.id !== request.organizationId;
  if (!isOfParent && warnings.length === 0) return record;
  return { ...record, ...(isOfParent && { judgedBy: home.id }), ...(warnings.length > 0 && { warnings }) };
}

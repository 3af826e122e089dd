import { type ActivityDefinition, type ActivityVersion, errorCodes, ServiceError } from '@countersign/contract';
import type { z } from 'zod';
import { requireAdmitted } from '../auth/ip-allowlist.ts';
import type { Snapshot } from '../organizations/snapshot.ts';
import { StoreUnavailable } from '../store/store.ts';
import type { ActivityRecord } from './activity-record.ts';
import { type Authenticated, authenticate, type Caller, CounterRegressed, type StampedBody } from './authenticate.ts';
import { counterChange, requesterOf, type Selection, stampSignature, toVote } from './ballot.ts';
import { commitActivity } from './commit-activity.ts';
import { MAX_ATTEMPTS, PATIENT_ATTEMPTS, pauseBefore } from './contention.ts';
import { type Identities, identitiesIn } from './identities.ts';
import { requireLive } from './liveness.ts';
import { executorOf, judge, type Performed, settle, throwIfRefused, withDisclosed } from './perform.ts';
import type { PipelineServices } from './services.ts';
import { createVoting } from './vote.ts';

/** A submit request that was read and matched to its operation; its stamp is not yet believed. */
export interface SubmitRequest {
  readonly definition: ActivityDefinition;
  readonly version: ActivityVersion;
  readonly organizationId: string;
  readonly timestampMs: string;
  /** What the parameters must look like on the path they came by. */
  readonly schema: z.ZodType;
  /** The parameters as the caller's version has them, not yet checked. */
  readonly parameters: unknown;
  readonly bodyText: string;
  readonly fingerprint: string;
  readonly stamped: StampedBody;
}

/** An activity as it stands after the request, and what its rendering needs. */
export interface Submitted {
  readonly record: ActivityRecord;
  readonly organization: Snapshot;
  readonly caller: Caller;
}

/** Reads parameters into their current form. Throws REQUEST_INVALID. */
export type ReadParameters = (version: ActivityVersion, schema: z.ZodType, parameters: unknown) => unknown;

const votes: Readonly<Record<string, Selection>> = {
  approveActivity: 'VOTE_SELECTION_APPROVED',
  rejectActivity: 'VOTE_SELECTION_REJECTED',
};

/**
 * authenticate → plan → authorize → run → commit.
 * INVARIANT: nothing that `run` made leaves before its commit is durable, and the commit is taken only on the organization version
 * that the decision was made on. A fingerprint is carried out at most once in its organization.
 */
export function createSubmit(services: PipelineServices, readParameters: ReadParameters) {
  const { snapshots, activities, exclusive, clock, verifiers, config } = services;
  const rules = { verifiers, webauthnOrigins: config.webauthnOrigins };
  const voting = createVoting(services, readParameters);
  const underWay = new Map<string, Promise<unknown>>();

  return async function submit(request: SubmitRequest): Promise<Submitted> {
    const known = await alreadyTaken(request);
    if (known !== undefined) return known;
    requireLive(request.timestampMs, clock.nowMs());
    const params = readParameters(request.version, request.schema, request.parameters);
    const selection = votes[request.definition.name];
    if (selection !== undefined) {
      const { fingerprint } = params as { fingerprint: string };
      return voting.vote({ fingerprint, selection, request, authenticateVoter: () => authenticateRequest(request) });
    }
    const key = `${request.organizationId}/${request.fingerprint}`;
    const before = underWay.get(key);
    // The same body is being carried out: its outcome, not a second execution, is the answer. Its failure is its own caller's, but for
    // an outage: whoever waited for it would only wait for the next one.
    if (before !== undefined) await before.catch((error: unknown) => isOutage(error) && Promise.reject(error));
    const work = carryOut(request, params, before !== undefined);
    underWay.set(key, work);
    try {
      return await work;
    } finally {
      if (underWay.get(key) === work) underWay.delete(key);
    }
  };

  /**
   * Authenticates the caller. A passkey that counts refuses its own stamp the second time: where that very stamp was taken before, the
   * answer is what it led to.
   */
  async function alreadyTaken(request: SubmitRequest): Promise<Submitted | undefined> {
    try {
      await authenticateRequest(request);
      return undefined;
    } catch (error) {
      if (!(error instanceof CounterRegressed)) throw error;
      const record = await activities.byFingerprint(request.organizationId, request.fingerprint);
      const signature = stampSignature(request.stamped.stamp);
      const vote = record?.votes.find((cast) => cast.signature === signature);
      // No commit checks this answer: it must not rest on a view that another node has changed.
      const organization = await snapshots.current(request.organizationId);
      const user = vote && organization?.users.get(vote.userId);
      if (record === undefined || vote === undefined || organization === undefined || user === undefined) throw error;
      const { userId, credentialId, publicKey, scheme } = vote;
      const caller = { organizationId: organization.id, userId, user, credentialId, publicKey, scheme };
      requireAdmitted(organization.records.ipAllowlist, requesterOf(caller, request.stamped));
      throwIfRefused(record);
      return { record, organization, caller };
    }
  }

  /**
   * SECURITY: every attempt of a request asks anew whether its caller may act here, since the credential may belong to another user by
   * then. No commit checks a refusal, so before one is given, the stored version is asked for: another node may know the credential.
   */
  async function authenticateRequest({ organizationId, stamped, definition }: SubmitRequest): Promise<Authenticated> {
    let seen: Snapshot | undefined;
    const target = async (id: string) => (seen = await snapshots.get(id));
    const prove = () => authenticate({ target, parent: snapshots.current }, rules, organizationId, stamped, clock.nowMs());
    const authenticated = await prove().catch(async (error: unknown) => {
      const refused = error instanceof ServiceError && isRefusedCaller(error);
      if (!refused || !(await isOutdated(organizationId, seen))) throw error;
      return prove();
    });
    requireMayAct(authenticated, definition);
    return authenticated;
  }

  /** Whether a snapshot is older than what is stored; if so, this process knows the stored one from now on. */
  async function isOutdated(organizationId: string, seen: Snapshot | undefined): Promise<boolean> {
    return (await snapshots.current(organizationId))?.version !== seen?.version;
  }

  async function carryOut(request: SubmitRequest, params: unknown, seenBefore: boolean): Promise<Submitted> {
    const executor = executorOf(services, request.definition);
    if (seenBefore) {
      const known = await replay(request);
      if (known !== undefined) return known;
    }
    const identities = await identitiesIn(services, request.definition, params);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      await pauseBefore(attempt);
      const once = () => attemptOnce(request, params, identities);
      const inTurn = executor.exclusive || attempt >= PATIENT_ATTEMPTS;
      const attempted = await (inTurn ? exclusive.run(request.organizationId, once) : once());
      // INVARIANT: what was seen before may be voted on, which waits its turn: not within a turn of this request's own.
      if (attempted === 'SEEN_BEFORE') return seenAgain(request);
      if (attempted !== 'MOVED') return attempted;
      snapshots.drop(request.organizationId);
    }
    throw new ServiceError(
      'CONFLICT',
      'The organization kept changing while this request was judged. Nothing was done; send the same request again.',
    );
  }

  /** MOVED when the organization's version did: the request then goes back to authentication. */
  async function attemptOnce(
    request: SubmitRequest,
    params: unknown,
    identities: Identities,
  ): Promise<Submitted | 'MOVED' | 'SEEN_BEFORE'> {
    const { caller, target, home } = await authenticateRequest(request);
    const nowMs = clock.nowMs();
    const vote = toVote(request, caller, 'VOTE_SELECTION_APPROVED', services.newId(), nowMs);
    const { definition, version } = request;
    const requester = requesterOf(caller, request.stamped);
    const judgedBy = { target, home, votes: [vote], nowMs, identities, requester };
    const performance = { definition, version, params, ...judgedBy, ...counterChange(caller) };
    let performed: Performed;
    try {
      const judged = await judge(services, performance);
      performed = await settle(services, performance, judged, newRecord(request, services.newId(), home, nowMs));
      const committed = await commitActivity(services, performance, performed, 0);
      if (committed === 'VERSION_MOVED') return 'MOVED';
      if (committed !== 'TAKEN') return 'SEEN_BEFORE';
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      // What was carried out already may make its own repetition impossible (a name is taken): then the answer is the first outcome.
      // The same holds where the database could not say whether it took the commit.
      if ((await activities.byFingerprint(target.id, request.fingerprint)) !== undefined) return 'SEEN_BEFORE';
      // A refusal on a view that another node has changed since is none.
      if (await isOutdated(target.id, target)) return 'MOVED';
      throw error;
    }
    throwIfRefused(performed.record);
    return { record: withDisclosed(performed), organization: performed.sealed.next ?? target, caller };
  }

  async function seenAgain(request: SubmitRequest): Promise<Submitted> {
    const known = await replay(request);
    if (known === undefined) throw new Error('the store names a fingerprint that it does not hold');
    return known;
  }

  /** The activity that this very body led to before, if it did. Stamped by another user, it is that user's approval. */
  async function replay(request: SubmitRequest): Promise<Submitted | undefined> {
    const record = await activities.byFingerprint(request.organizationId, request.fingerprint);
    if (record === undefined) return undefined;
    // No commit checks the answer to a repetition: a credential or an address that another node refuses by now is refused here.
    await snapshots.current(request.organizationId);
    const taken = await alreadyTaken(request);
    if (taken !== undefined) return taken;
    const { caller, target } = await authenticateRequest(request);
    const open = record.status === 'ACTIVITY_STATUS_CONSENSUS_NEEDED';
    if (open && !record.votes.some(({ userId }) => userId === caller.userId)) {
      return voting.vote({
        fingerprint: request.fingerprint,
        selection: 'VOTE_SELECTION_APPROVED',
        request,
        authenticateVoter: () => authenticateRequest(request),
      });
    }
    throwIfRefused(record);
    return { record, organization: target, caller };
  }
}

/** Users act in their own organization; a parent's users in its sub-organizations only where the activity says so. */
function requireMayAct({ caller, target, home }: Authenticated, { name, parentMayAct }: ActivityDefinition): void {
  if (home !== target && !parentMayAct) {
    throw new ServiceError(
      'ORGANIZATION_MISMATCH',
      `organization mismatch: request is targeting organization (${target.id}), but voters are in organization (${home.id}). Stamp with a credential of the target organization.`,
    );
  }
  if (home !== target && caller.counted !== undefined) {
    // D20: its counter could not move in a commit of another organization.
    throw new ServiceError(
      'NOT_OFFERED',
      'A passkey that counts its uses can act in its own organization only. Stamp with an API key.',
    );
  }
  if (caller.restrictedTo !== undefined && caller.restrictedTo.activity !== name) {
    throw new ServiceError(
      'POLICY_DENIED',
      'request not authorized: this key is good for one activity only, and this is not it.',
    );
  }
}

/** Whether a refusal is about who asks or where from: another node may know the credential, or allow the address. */
function isRefusedCaller({ code }: ServiceError): boolean {
  return errorCodes[code].status === 401 || code === 'IP_NOT_ALLOWED';
}

function isOutage(error: unknown): boolean {
  return error instanceof StoreUnavailable || (error instanceof ServiceError && error.code === 'UNAVAILABLE');
}

function newRecord(request: SubmitRequest, id: string, home: Snapshot, nowMs: number): ActivityRecord {
  return {
    id,
    organizationId: request.organizationId,
    type: request.version.type,
    status: 'ACTIVITY_STATUS_CREATED',
    fingerprint: request.fingerprint,
    timestampMs: request.timestampMs,
    ...(home.id !== request.organizationId && { judgedBy: home.id }),
    intent: null,
    result: null,
    failure: null,
    votes: [],
    decisions: [],
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
}

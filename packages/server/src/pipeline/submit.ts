import { type ActivityDefinition, type ActivityVersion, errorCodes, ServiceError } from '@countersign/contract';
import type { z } from 'zod';
import { seal } from '../organizations/seal.ts';
import type { Snapshot } from '../organizations/snapshot.ts';
import { StoreUnavailable } from '../store/store.ts';
import { type ActivityRecord, toActivityRow, type VoteRecord } from './activity-record.ts';
import { authenticate, type Caller, type StampedBody } from './authenticate.ts';
import type { Executor, Outcome, Plan } from './executor.ts';
import type { PipelineServices } from './services.ts';

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

/** How often a request may be judged anew because its organization changed meanwhile. */
const MAX_ATTEMPTS = 8;
/** From this attempt on the request waits its turn with those that change the organization, so that it cannot starve. */
const PATIENT_ATTEMPTS = 3;

/**
 * authenticate → plan → authorize → run → commit.
 * INVARIANT: nothing that `run` made leaves before its commit is durable, and the commit is taken only on the organization version
 * that the decision was made on. A fingerprint is carried out at most once in its organization.
 */
export function createSubmit(services: PipelineServices, parseParameters: (request: SubmitRequest) => unknown) {
  const { snapshots, activities, committer, vault, exclusive, executors, authorize, clock, verifiers } = services;
  const underWay = new Map<string, Promise<unknown>>();

  return async function submit(request: SubmitRequest): Promise<Submitted> {
    await authenticateRequest(request);
    requireLive(request.timestampMs, clock.nowMs());
    const params = parseParameters(request);
    const key = `${request.organizationId}/${request.fingerprint}`;
    const before = underWay.get(key);
    if (before !== undefined) {
      // The same body is being carried out: its outcome, not a second execution, is the answer. Its failure is its own caller's.
      await before.catch(() => {});
    }
    const work = carryOut(request, params, before !== undefined);
    underWay.set(key, work);
    try {
      return await work;
    } finally {
      if (underWay.get(key) === work) underWay.delete(key);
    }
  };

  function authenticateRequest({ organizationId, stamped }: SubmitRequest) {
    return authenticate(
      { target: (id) => snapshots.get(id), parent: (id) => snapshots.current(id) },
      verifiers,
      organizationId,
      stamped,
      clock.nowMs(),
    );
  }

  async function carryOut(request: SubmitRequest, params: unknown, seenBefore: boolean): Promise<Submitted> {
    const executor = executors[request.definition.name as keyof typeof executors] as Executor<ActivityDefinition>;
    const inTurn = <T>(task: () => Promise<T>) => exclusive.run(request.organizationId, task);
    if (seenBefore) {
      const known = await replay(request);
      if (known !== undefined) return known;
    }
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const once = () => attemptOnce(request, params, executor);
      const submitted = await (executor.exclusive || attempt >= PATIENT_ATTEMPTS ? inTurn(once) : once());
      if (submitted !== undefined) return submitted;
      snapshots.drop(request.organizationId);
    }
    throw new ServiceError(
      'CONFLICT',
      'The organization kept changing while this request was judged. Nothing was done; send the same request again.',
    );
  }

  /** Undefined when the organization's version moved: the request then goes back to authentication. */
  async function attemptOnce(
    request: SubmitRequest,
    params: unknown,
    executor: Executor<ActivityDefinition>,
  ): Promise<Submitted | undefined> {
    const { caller, target } = await authenticateRequest(request);
    if (caller.organizationId !== target.id) {
      throw new ServiceError(
        'ORGANIZATION_MISMATCH',
        `organization mismatch: request is targeting organization (${target.id}), but voters are in organization (${caller.organizationId}). Stamp with a credential of the target organization.`,
      );
    }
    const nowMs = clock.nowMs();
    const context = { organization: target, caller, resources: services.resources, limits: services.config, nowMs };
    let plan: Plan<unknown, unknown>;
    let outcome: Outcome<unknown> | undefined;
    let record: ActivityRecord;
    try {
      plan = await executor.plan(context, params);
      const { definition, version } = request;
      const verdict = authorize({
        organization: target,
        approverIds: [caller.userId],
        type: version.type,
        policy: definition.policy,
        intent: plan.intent,
        subject: plan.subject,
      });
      const base = newRecord(request, caller, plan, nowMs);
      if (verdict.outcome === 'ALLOW') {
        outcome = await executor.run({ ...context, vault, newId: services.newId }, plan);
        record = { ...base, status: 'ACTIVITY_STATUS_COMPLETED', result: outcome.result };
      } else if (verdict.outcome === 'NEEDS_CONSENSUS') {
        record = { ...base, status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED' };
      } else {
        const message = `request not authorized: ${verdict.reason}. Ask a root user, or have a policy created that allows it.`;
        record = {
          ...base,
          status: 'ACTIVITY_STATUS_FAILED',
          failure: { code: errorCodes.POLICY_DENIED.grpc, message, details: [] },
        };
      }
    } catch (error) {
      // What was carried out already may make its own repetition impossible (a name is taken): then the answer is the first outcome.
      const known = error instanceof ServiceError ? await replay(request) : undefined;
      if (known !== undefined) return known;
      throw error;
    }
    const sealed = seal(vault.integrity, target, outcome?.changes ?? []);
    const committed = await commitRecord(request, target, record, sealed);
    if (committed === 'MOVED') return undefined;
    if (committed !== 'TAKEN') return committed;
    if (sealed.next !== undefined) snapshots.replace(sealed.next);
    for (const id of outcome?.forget ?? []) vault.forget(target.id, id);
    services.onActivity(record);
    return settled({ record, organization: sealed.next ?? target, caller });
  }

  async function commitRecord(
    request: SubmitRequest,
    target: Snapshot,
    record: ActivityRecord,
    { writes, head }: ReturnType<typeof seal>,
  ): Promise<'TAKEN' | 'MOVED' | Submitted> {
    const entry = {
      organizationId: target.id,
      expectedVersion: target.version,
      ...(head && { head }),
      activity: toActivityRow(vault.integrity, record, 0),
      writes,
    };
    try {
      const taken = await committer.commit(entry);
      if (taken.taken) return 'TAKEN';
      if (taken.reason === 'VERSION_MOVED') return 'MOVED';
      if (taken.reason === 'INVALID') throw new Error(`the store refused the commit of ${record.type}: ${taken.detail}`);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      const known = error.outcomeUnknown ? await replay(request) : undefined;
      if (known !== undefined) return known;
      throw new ServiceError(
        'UNAVAILABLE',
        'The database did not confirm the write. Send the very same request again: it is carried out once at the most.',
        {
          cause: error,
        },
      );
    }
    const known = await replay(request);
    if (known === undefined) throw new Error('the store names a fingerprint that it does not hold');
    return known;
  }

  /** The activity that this very body led to before, if it did. */
  async function replay(request: SubmitRequest): Promise<Submitted | undefined> {
    const record = await activities.byFingerprint(request.organizationId, request.fingerprint);
    if (record === undefined) return undefined;
    const { caller, target } = await authenticateRequest(request);
    return settled({ record, organization: target, caller });
  }

  function newRecord(
    request: SubmitRequest,
    caller: Caller,
    { intent, subject: { parsed } }: Plan<unknown, unknown>,
    nowMs: number,
  ): ActivityRecord {
    return {
      id: services.newId(),
      organizationId: request.organizationId,
      type: request.version.type,
      status: 'ACTIVITY_STATUS_CREATED',
      fingerprint: request.fingerprint,
      timestampMs: request.timestampMs,
      intent,
      result: null,
      ...(parsed && { parsed: { description: parsed.description, fullyParsed: parsed.fullyParsed, unparsed: parsed.unparsed } }),
      failure: null,
      votes: [approval(request, caller, services.newId(), nowMs)],
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
  }
}

function approval({ bodyText, stamped }: SubmitRequest, caller: Caller, id: string, createdAtMs: number): VoteRecord {
  return {
    id,
    userId: caller.userId,
    userName: caller.user.userName,
    selection: 'VOTE_SELECTION_APPROVED',
    message: bodyText,
    publicKey: stamped.stamp.publicKey,
    signature: Buffer.from(stamped.stamp.signature).toString('hex'),
    scheme: caller.scheme,
    createdAtMs,
  };
}

/** A denied attempt is kept as an activity, and answered as an error that names it. */
function settled(submitted: Submitted): Submitted {
  const { record } = submitted;
  if (record.status === 'ACTIVITY_STATUS_FAILED' && record.failure?.code === errorCodes.POLICY_DENIED.grpc) {
    throw new ServiceError('POLICY_DENIED', record.failure.message, { activityId: record.id });
  }
  return submitted;
}

const MAX_AGE_MS = 60 * 60 * 1000;
const MAX_AHEAD_MS = 5 * 60 * 1000;

/** D06: at most an hour old, at most five minutes ahead, and nothing but digits. */
export function requireLive(timestampMs: string, nowMs: number): void {
  const time = /^\d{1,15}$/.test(timestampMs) ? Number(timestampMs) : Number.NaN;
  if (Number.isNaN(time)) {
    throw new ServiceError(
      'TIMESTAMP_INVALID',
      'timestampMs must be the time of the request in milliseconds since 1970, as a string of digits.',
    );
  }
  if (time < nowMs - MAX_AGE_MS)
    throw new ServiceError(
      'TIMESTAMP_INVALID',
      'timestampMs is more than an hour old. Stamp a new request with the present time.',
    );
  if (time > nowMs + MAX_AHEAD_MS)
    throw new ServiceError('TIMESTAMP_INVALID', 'timestampMs is more than five minutes ahead. Check the clock of the caller.');
}

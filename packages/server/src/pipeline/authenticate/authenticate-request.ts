import { type ActivityDefinition, errorCodes, ServiceError } from '@countersign/contract';
import { requireAdmitted } from '../../auth/ip-allowlist.ts';
import type { ActivityRecord } from '../../organizations/activity-record.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';
import type { Awaitable } from '../../wire/awaitable.ts';
import { throwIfRefused } from '../execute/execute.ts';
import type { SubmitRequest, Submitted } from '../request.ts';
import type { PipelineServices } from '../services.ts';
import { requesterOf, stampSignature } from '../vote/vote-record.ts';
import { type Authenticated, authenticate, CounterRegressed } from './authenticate.ts';
import { mayOpen, recordOpening } from './mailed-key-first-use.ts';

/** Who submits a request, or what the very same stamp led to before. */
export type Admission =
  | { readonly kind: 'CALLER'; readonly authenticated: Authenticated }
  | { readonly kind: 'TAKEN_BEFORE'; readonly submitted: Submitted };

export type Admit = ReturnType<typeof createAdmit>;

/** Finds out who submits a request, and whether that user may submit this activity here at all. */
export function createAdmit(services: PipelineServices) {
  const { snapshots, activities, clock, stampRules } = services;
  return { admit, renew };

  /**
   * Authenticates the caller. A passkey with a counter refuses its own stamp the second time. If the first time led to an activity,
   * that activity is the answer.
   */
  function admit(request: SubmitRequest, earlier?: Authenticated): Awaitable<Admission> {
    const takenBefore = async (error: unknown): Promise<Admission> => {
      if (!(error instanceof CounterRegressed)) throw error;
      const submitted = await outcomeOfStamp(request);
      if (submitted === undefined) throw error;
      return { kind: 'TAKEN_BEFORE', submitted };
    };
    try {
      const authenticated = authenticateRequest(request, earlier);
      return authenticated instanceof Promise ? authenticated.then(asCaller, takenBefore) : asCaller(authenticated);
    } catch (error) {
      return takenBefore(error);
    }
  }

  /**
   * The same caller again, unless this process has learnt of another version of the organization.
   * SECURITY: in another version the credential may be gone or belong to another user, so the caller is authenticated again. The
   * commit refuses a version that only another process knows to be outdated.
   */
  function renew(request: SubmitRequest, earlier: Authenticated): Awaitable<Admission> {
    const { target, home } = earlier;
    if (home === target && snapshots.get(request.organizationId) === target) return asCaller(earlier);
    return renewBySource(request, earlier);
  }

  async function renewBySource(request: SubmitRequest, earlier: Authenticated): Promise<Admission> {
    const { target, home } = earlier;
    const same =
      (await snapshots.get(request.organizationId)) === target &&
      (home === target || (await snapshots.current(home.id)) === home);
    return same ? asCaller(earlier) : admit(request, earlier);
  }

  /** No commit checks a refusal, so the stored version is asked before one is given: another node may know the credential. */
  function authenticateRequest(request: SubmitRequest, earlier: Authenticated | undefined): Awaitable<Authenticated> {
    const { organizationId, stamped, definition } = request;
    let seen: Snapshot | undefined;
    const see = (snapshot: Snapshot | undefined) => (seen = snapshot);
    const target = (id: string) => {
      const known = snapshots.get(id);
      return known instanceof Promise ? known.then(see) : see(known);
    };
    const source = { target, parent: snapshots.current };
    const isOfParent = definition.parentMayAct ? () => isJudgedByParent(request) : undefined;
    const how = { known: earlier?.proof, isOfParent };
    const prove = () => authenticate(source, stampRules, organizationId, stamped, clock.nowMs(), how);
    const opened = async (authenticated: Authenticated): Promise<Authenticated> =>
      (await recordOpening(services, authenticated)) ? prove() : authenticated;
    const allowed = (authenticated: Authenticated): Awaitable<Authenticated> => {
      requireMayAct(authenticated, definition);
      return mayOpen(authenticated) ? opened(authenticated) : authenticated;
    };
    const again = async (error: unknown): Promise<Authenticated> => {
      if (!isRefusedCaller(error) || !(await isOutdated(organizationId, seen))) throw error;
      return allowed(await prove());
    };
    let authenticated: Awaitable<Authenticated>;
    try {
      authenticated = prove();
    } catch (error) {
      return again(error);
    }
    return authenticated instanceof Promise ? authenticated.then(allowed, again) : allowed(authenticated);
  }

  /**
   * Whether the parent judges an activity that its users may do in a sub-organization, or that a vote is about. What was submitted is
   * judged by the organization of its submitter; what is new belongs to the parent.
   */
  async function isJudgedByParent(request: SubmitRequest): Promise<boolean> {
    const isVote = request.definition.vote !== undefined;
    const record = await (isVote ? votedOn(request) : activities.byRequest(request.organizationId, request));
    return record === undefined ? !isVote : record.judgedBy !== undefined;
  }

  async function votedOn({ organizationId, parameters }: SubmitRequest): Promise<ActivityRecord | undefined> {
    const named = (parameters as { readonly fingerprint?: unknown } | undefined)?.fingerprint;
    return typeof named === 'string' ? activities.byFingerprint(organizationId, named) : undefined;
  }

  async function isOutdated(organizationId: string, seen: Snapshot | undefined): Promise<boolean> {
    return (await snapshots.current(organizationId))?.version !== seen?.version;
  }

  /** What a stamp led to that was taken before; undefined where no activity holds that stamp. */
  async function outcomeOfStamp(request: SubmitRequest): Promise<Submitted | undefined> {
    const { organizationId, stamped } = request;
    const record = await activities.byRequest(organizationId, request);
    const signature = stampSignature(stamped.stamp);
    const vote = record?.votes.find((cast) => cast.signature === signature);
    // No commit checks this answer, so it rests on the stored version.
    const organization = await snapshots.current(organizationId);
    const user = vote && organization?.users.get(vote.userId);
    if (record === undefined || vote === undefined || organization === undefined || user === undefined) return undefined;
    const { userId, credentialId, publicKey, scheme } = vote;
    const openedBy = organization.apiKeys.get(credentialId)?.origin?.openedBy;
    const caller = {
      organizationId: organization.id,
      userId,
      user,
      credentialId,
      ...(openedBy && { openedBy }),
      publicKey,
      scheme,
    };
    requireAdmitted(organization.records.ipAllowlist, requesterOf(caller, stamped));
    throwIfRefused(record);
    return { record, organization, caller };
  }
}

const asCaller = (authenticated: Authenticated): Admission => ({ kind: 'CALLER', authenticated });

/** Users act in their own organization. A parent's users act in its sub-organizations only where the activity says so. */
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

/** Whether a refusal is about who asks or where from. Another node may know the credential, or allow the address. */
function isRefusedCaller(error: unknown): boolean {
  return error instanceof ServiceError && (errorCodes[error.code].status === 401 || error.code === 'IP_NOT_ALLOWED');
}

import { type ActivityDefinition, errorCodes, ServiceError } from '@countersign/contract';
import { oneTimeKeyMay } from '@countersign/judgement';
import { requireBoundCertificate } from '../../auth/client-certificate.ts';
import { requireAdmitted } from '../../auth/ip-allowlist.ts';
import type { ActivityRecord } from '../../organizations/activities/activity-record.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { changeAsSystem } from '../commit/system-change.ts';
import type { Identified, Received } from '../context.ts';
import { requireUnfrozen, throwIfDenied } from '../execute/denial.ts';
import type { SubmitRequest } from '../request.ts';
import type { PipelineServices } from '../services.ts';
import { Answer } from '../stages.ts';
import { requesterOf, stampSignature } from '../vote/vote-record.ts';
import { requireLive, verifiedUser } from './admit.ts';
import { type Authenticated, authenticate, CounterRegressedError } from './authenticate.ts';

/** Stage: verifies the stamp and finds the caller. */
export async function authenticateCaller(services: PipelineServices, { request }: Received): Promise<Identified | Answer> {
  const authenticated = await authenticateRequest(services, request, services.clock.nowMs());
  return authenticated instanceof Answer ? authenticated : { request, authenticated };
}

/**
 * Stage: keeps the caller, unless this process has loaded another version of the organization since.
 * SECURITY: in another version the credential may be gone or belong to another user, so the caller is authenticated again. If only another
 * process knows that the version is outdated, the commit fails.
 */
export async function renewCaller<Context extends Identified>(
  services: PipelineServices,
  context: Context,
): Promise<Context | Answer> {
  const { request, authenticated: earlier } = context;
  const { snapshots } = services.organizations;
  const { target, home } = earlier;
  const isSame =
    (await snapshots.get(request.organizationId)) === target && (home === target || (await snapshots.current(home.id)) === home);
  if (isSame) return context;
  const authenticated = await authenticateRequest(services, request, services.clock.nowMs(), earlier);
  return authenticated instanceof Answer ? authenticated : { ...context, authenticated };
}

/**
 * Authenticates the caller and checks that the credential may submit this activity. A passkey with a counter rejects a repeated stamp. If
 * the first use of the stamp led to an activity, that activity is the response.
 */
async function authenticateRequest(
  services: PipelineServices,
  request: SubmitRequest,
  nowMs: number,
  earlier?: Authenticated,
): Promise<Authenticated | Answer> {
  try {
    return await authenticateOnStoredVersion(services, request, nowMs, earlier);
  } catch (error) {
    if (!(error instanceof CounterRegressedError)) throw error;
    const answer = await answerOfStamp(services, request, nowMs);
    if (answer === undefined) throw error;
    return answer;
  }
}

/** No commit checks a rejected caller, so retry if the store has another version: another node may know the credential. */
async function authenticateOnStoredVersion(
  services: PipelineServices,
  request: SubmitRequest,
  nowMs: number,
  earlier: Authenticated | undefined,
): Promise<Authenticated> {
  const { snapshots } = services.organizations;
  const { organizationId, definition, admitted } = request;
  let used: Snapshot | undefined;
  const current = (id: string) => admitted.read(() => snapshots.current(id));
  const source = {
    target: async (id: string) => {
      used = await admitted.read(() => snapshots.get(id));
      return used;
    },
    parent: current,
  };
  const isOfParent = definition.parentMayAct
    ? async () => !isOwnSignInKey(services, request) && (await isAuthorizedByParent(services, request))
    : undefined;
  const known = earlier?.proof;
  const verify = () =>
    authenticate(source, services.auth.stampRules, organizationId, request.stamped, nowMs, { known, isOfParent });
  let authenticated: Authenticated;
  try {
    authenticated = await verify();
  } catch (error) {
    // SECURITY: D335: an unknown organization was read from the store just now. Reading it again would take longer than for a known one.
    const isOutdated = async () => used !== undefined && (await current(organizationId))?.version !== used.version;
    if (!isCallerRejected(error) || !(await isOutdated())) throw error;
    authenticated = await verify();
  }
  requireMayAct(authenticated, definition);
  return recordFirstUse(services, authenticated, verify);
}

/** SECURITY: D283: a user of the parent who registers a sub-organization's sign-in key does not take its relay over. */
function isOwnSignInKey({ vault }: PipelineServices, { organizationId, stamped: { stamp } }: SubmitRequest): boolean {
  return stamp.kind === 'apiKey' && stamp.publicKey === vault.service.signInKey(organizationId);
}

/**
 * Whether the parent authorizes an activity that its users may submit in a sub-organization, or that a vote is about. A submitted activity
 * is authorized by the organization of its submitter; a new one by the parent.
 */
async function isAuthorizedByParent(
  { organizations: { activities } }: PipelineServices,
  request: SubmitRequest,
): Promise<boolean> {
  const { organizationId, definition } = request;
  const isVote = definition.vote !== undefined;
  let record: ActivityRecord | undefined;
  if (isVote) {
    const fingerprint = (request.parameters as { readonly fingerprint?: unknown } | undefined)?.fingerprint;
    if (typeof fingerprint === 'string') record = await activities.byFingerprint(organizationId, fingerprint);
  } else record = await activities.byRequest(organizationId, request);
  return record === undefined ? !isVote : record.judgedBy !== undefined;
}

/**
 * The activity that this stamp was used for, if any.
 * SECURITY: D06: this response ends the stages before they check rates and the timestamp, so both are checked here.
 */
async function answerOfStamp(
  { organizations }: PipelineServices,
  request: SubmitRequest,
  nowMs: number,
): Promise<Answer | undefined> {
  const { organizationId, stamped } = request;
  const record = await organizations.activities.byRequest(organizationId, request);
  const { stamp } = stamped;
  const inner = stamp.kind === 'passkey' ? stamp.innerCredentialId : undefined;
  const signatures = [stampSignature(stamp), ...(inner === undefined ? [] : [stampSignature(stamp, inner)])];
  const vote = record?.votes.find((cast) => signatures.includes(cast.signature));
  // No commit checks this response, so it uses the stored version.
  const organization = await organizations.snapshots.current(organizationId);
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
  requireBoundCertificate(organization, userId, stamped.certificateKey, nowMs);
  request.admitted.authenticated({ ...verifiedUser({ caller, home: organization }), isLogin: false });
  requireLive(request.timestampMs, nowMs);
  requireUnfrozen(organization, userId);
  throwIfDenied(record, { caller, home: organization, target: organization, atMs: nowMs });
  return new Answer({ record, organization, caller });
}

/** Users act in their own organization. A parent's users act in its sub-organizations only if the activity allows it. */
function requireMayAct({ caller, target, home }: Authenticated, { name, parentMayAct }: ActivityDefinition): void {
  if (home !== target && !parentMayAct) {
    throw new ServiceError(
      'ORGANIZATION_MISMATCH',
      `organization mismatch: request is targeting organization (${target.id}), but voters are in organization (${home.id}). Stamp with a credential of the target organization.`,
    );
  }
  if (home !== target && caller.counted !== undefined) {
    // D20: a commit of another organization cannot store its counter.
    throw new ServiceError(
      'NOT_OFFERED',
      'A passkey that counts its uses can act in its own organization only. Stamp with an API key.',
    );
  }
  if (caller.restrictedTo !== undefined && !oneTimeKeyMay(caller.restrictedTo, name)) {
    throw new ServiceError('POLICY_DENIED', 'request not authorized: this key is valid for one other activity only.');
  }
}

/** Whether an error is about the caller or its address. Another node may know the credential, or allow the address. */
function isCallerRejected(error: unknown): boolean {
  const others = ['IP_NOT_ALLOWED', 'CERTIFICATE_NOT_BOUND'];
  return error instanceof ServiceError && (errorCodes[error.code].status === 401 || others.includes(error.code));
}

type FirstUseServices = Pick<PipelineServices, 'organizations' | 'vault' | 'commits' | 'auth' | 'limits' | 'clock'>;

/**
 * Records the first use of a mailed key and its consequences, then authenticates the caller again. Returns the caller unchanged for any
 * other credential.
 */
export function recordFirstUse(
  services: FirstUseServices,
  authenticated: Authenticated,
  authenticateAgain: () => Promise<Authenticated>,
): Authenticated | Promise<Authenticated> {
  const { caller, home } = authenticated;
  const { credentialId } = caller;
  if (home.apiKeys.get(credentialId)?.messageId === undefined) return authenticated;
  const { auth, limits, clock } = services;
  const recorded = changeAsSystem(services, home.id, (organization) =>
    auth.activateMailedKey(organization, credentialId, limits, clock.nowMs()),
  );
  return recorded.then((isChanged) => (isChanged ? authenticateAgain() : authenticated));
}

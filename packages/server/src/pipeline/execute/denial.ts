import { type ErrorCode, errorCodes, type PolicyDenial, queries, relayedTypes, ServiceError } from '@countersign/contract';
import {
  authorityOf,
  freezeSentence,
  hiddenContent,
  isReadingRestricted,
  type Judgement,
  mayRead,
  NO_BLIND_HASHES,
  oneTimeKeyDecision,
  type Suspension,
  scopeRefusal,
  suspensionOf,
} from '@countersign/judgement';
import { type Decision, decisionLimits } from '@countersign/policy';
import type { ActivityFailure, ActivityRecord } from '../../organizations/activities/activity-record.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { Authenticated } from '../authenticate/authenticate.ts';
import { CallerRefused } from '../errors.ts';

export function failureOf(errorCode: ErrorCode, message: string): ActivityFailure {
  return { code: errorCodes[errorCode].grpc, errorCode, message, details: [] };
}

/** The error code of a denial. */
export function denialCode({ by }: Decision & { outcome: 'DENY' }): 'POLICY_DENIED' | 'FROZEN' {
  return by === 'FROZEN' ? 'FROZEN' : 'POLICY_DENIED';
}

const publicTypes: ReadonlySet<string> = new Set(Object.values(relayedTypes));

/**
 * The message of a request that a freeze stops.
 * SECURITY: who froze it and why is for members of the organization that stores the freeze. Strangers get the response of a relayed
 * sign-in, and users of a sub-organization see the denials of its parent's users.
 */
function frozenMessage(judgement: Judgement): string {
  const suspension = suspensionOf(judgement);
  if (suspension === undefined) throw new Error('a request was denied as frozen, and nothing is frozen');
  const isOwn = suspension.organization.id === judgement.target.id && !publicTypes.has(judgement.type);
  return isOwn ? frozenText(suspension) : 'request not authorized: frozen. Ask a root user of the organization that sent it.';
}

/** The same for a member of the organization that stores the freeze. */
function frozenText(suspension: Suspension): string {
  return `request not authorized: ${freezeSentence(suspension)}. Only the root quorum can end this, with unfreeze.`;
}

/**
 * Rejects a frozen user. Requests that are neither decided nor committed need this check.
 * INVARIANT: D301: a frozen user reads and replays nothing, and votes on nothing but freeze and unfreeze.
 */
export function requireUnfrozen(home: Snapshot, userId: string): void {
  const freeze = home.records.freeze.get(userId);
  if (freeze !== undefined) throw new CallerRefused('FROZEN', frozenText({ id: userId, freeze, organization: home }));
}

/** The message of a denial, including the next step for the caller. */
export function denialMessage(decision: Decision & { outcome: 'DENY' }, judgement: Judgement): string {
  switch (decision.by) {
    case 'POLICY':
      return `policy engine denied request explicitly: ${denying(decision.policyIds, judgement)} denies it. 'countersign explain' shows why.`;
    case 'ROOT_QUORUM_ONLY':
      return `request not authorized: only the root quorum may do this${because(judgement)}. Ask a root user.`;
    case 'STEP_LIMIT':
      return `request not authorized: the policies that can apply take more than ${decisionLimits.steps} steps together, or finding the users who may approve takes more than ${decisionLimits.pendingSteps}. Ask the root quorum to shorten or remove policies.`;
    case 'FROZEN':
      return frozenMessage(judgement);
    case 'HIDDEN_CONTENT':
      return `request not authorized: the payload is ${hiddenContent(judgement)}, and this key signs only what policies can read (${NO_BLIND_HASHES}). Send the content instead: a transaction with sign_transaction, typed data with PAYLOAD_ENCODING_EIP712, a message as bytes with its hash function.`;
    case 'IMPLICIT':
      return (
        scopeRefusal(judgement, judgement.votes[0]?.credentialId) ??
        oneTimeKeyDecision(judgement)?.refusal ??
        "request not authorized: no policy allows it, and the root quorum did not approve. Ask a root user, or create a policy; 'countersign explain' shows what was missing."
      );
  }
}

/** The most policies that a message names. SECURITY: D350: the message is stored. */
const MAX_NAMED = 8;

/**
 * SECURITY: the denial is stored in the sub-organization, whose users must not see the ids of the parent's policies. D376: its submitter
 * reads it without a policy for that.
 */
function denying(policyIds: readonly string[], { organization, target }: Judgement): string {
  if (organization.id !== target.id) return 'a policy of the parent organization';
  if (isReadingRestricted(organization)) return 'a policy';
  const more = policyIds.length > MAX_NAMED ? ` and ${policyIds.length - MAX_NAMED} others` : '';
  return `policy ${policyIds.slice(0, MAX_NAMED).join(', ')}${more}`;
}

function because(judgement: Judgement): string {
  const { reserved } = authorityOf(judgement);
  return reserved === undefined ? '' : `, because ${reserved}`;
}

/** A caller who gets the response to a denied activity. */
type DeniedCaller = Pick<Authenticated, 'caller' | 'home' | 'target' | 'atMs'>;

/** The response to a denied activity, also to its replays, is an error with the activity's id. */
export function throwIfDenied(record: ActivityRecord, denied: DeniedCaller): void {
  const denial = denialOf(record, record.id, denied);
  if (denial !== undefined) throw denial;
}

/** The error for a denied activity. `activityId` is undefined if the activity is not stored. */
export function denialOf(record: ActivityRecord, activityId: string | undefined, denied: DeniedCaller): ServiceError | undefined {
  const { status, failure } = record;
  if (status !== 'ACTIVITY_STATUS_FAILED' || failure?.errorCode === undefined) return undefined;
  const denial = failure.errorCode === 'POLICY_DENIED' ? policyDenial(record, denied) : undefined;
  const named = activityId === undefined ? {} : { activityId };
  return new ServiceError(failure.errorCode, failure.message, { ...named, ...(denial && { denial }) });
}

/**
 * The policies that denied an activity.
 * SECURITY: policies of the parent are hidden. Users of the sub-organization get this response too if they send the same body. D376: so
 * are all policies from callers who may not read how the activity was decided: each outcome tells something about a condition.
 */
function policyDenial(
  { judgedBy, decisions }: ActivityRecord,
  { caller, home, target, atMs }: DeniedCaller,
): PolicyDenial | undefined {
  const last = decisions.at(-1);
  if (last?.outcome !== 'DENY') return undefined;
  const { userId, credentialId } = caller;
  const reading = { organization: home, target, query: queries.explainActivity, userId, credentialId, nowMs: atMs };
  const hidden = judgedBy !== undefined || !mayRead(reading);
  const deniedBy = last.by === 'POLICY' ? { deniedBy: hidden ? [] : last.policyIds } : {};
  return { ...deniedBy, evaluations: hidden ? [] : last.evaluations };
}

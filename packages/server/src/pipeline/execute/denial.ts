import { type ErrorCode, errorCodes, type PolicyDenial, ServiceError } from '@countersign/contract';
import { authorityOf, type Judgement, oneTimeKeyDecision, scopeRefusal } from '@countersign/judgement';
import type { Decision } from '@countersign/policy';
import type { ActivityFailure, ActivityRecord } from '../../organizations/activities/activity-record.ts';

export function failureOf(errorCode: ErrorCode, message: string): ActivityFailure {
  return { code: errorCodes[errorCode].grpc, errorCode, message, details: [] };
}

/** The message of a denial, including the next step for the caller. */
export function denialMessage(decision: Decision & { outcome: 'DENY' }, judgement: Judgement): string {
  switch (decision.by) {
    case 'POLICY':
      return `policy engine denied request explicitly: ${denying(decision.policyIds, judgement)} denies it. 'countersign explain' shows why.`;
    case 'ROOT_QUORUM_ONLY':
      return `request not authorized: only the root quorum may do this${because(judgement)}. Ask a root user.`;
    case 'IMPLICIT':
      return (
        scopeRefusal(judgement, judgement.votes[0]?.credentialId) ??
        oneTimeKeyDecision(judgement)?.refusal ??
        "request not authorized: no policy allows it, and the root quorum did not approve. Ask a root user, or create a policy; 'countersign explain' shows what was missing."
      );
  }
}

/** SECURITY: the denial is stored in the sub-organization, whose users must not see the ids of the parent's policies. */
function denying(policyIds: readonly string[], { organization, target }: Judgement): string {
  return organization.id === target.id ? `policy ${policyIds.join(', ')}` : 'a policy of the parent organization';
}

function because(judgement: Judgement): string {
  const { reserved } = authorityOf(judgement);
  return reserved === undefined ? '' : `, because ${reserved}`;
}

/** The response to a denied activity, also to its replays, is an error with the activity's id. */
export function throwIfDenied(record: ActivityRecord): void {
  const denial = denialOf(record, record.id);
  if (denial !== undefined) throw denial;
}

/** The error for a denied activity. `activityId` is undefined if the activity is not stored. */
export function denialOf(record: ActivityRecord, activityId: string | undefined): ServiceError | undefined {
  const { status, failure } = record;
  if (status !== 'ACTIVITY_STATUS_FAILED' || failure?.errorCode === undefined) return undefined;
  const denial = failure.errorCode === 'POLICY_DENIED' ? policyDenial(record) : undefined;
  const named = activityId === undefined ? {} : { activityId };
  return new ServiceError(failure.errorCode, failure.message, { ...named, ...(denial && { denial }) });
}

/**
 * The policies that denied an activity.
 * SECURITY: policies of the parent are hidden. Users of the sub-organization get this response too if they send the same body.
 */
function policyDenial({ judgedBy, decisions }: ActivityRecord): PolicyDenial | undefined {
  const last = decisions.at(-1);
  if (last?.outcome !== 'DENY') return undefined;
  const hidden = judgedBy !== undefined;
  const deniedBy = last.by === 'POLICY' ? { deniedBy: hidden ? [] : last.policyIds } : {};
  return { ...deniedBy, evaluations: hidden ? [] : last.evaluations };
}

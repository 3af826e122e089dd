import { type ActivityDefinition, ServiceError } from '@countersign/contract';
import {
  CURRENT_RULES,
  decideByCredential,
  denyFrozen,
  denyEarly as denyUnread,
  isReadingRestricted,
  type Judgement,
} from '@countersign/judgement';
import type { Decision } from '@countersign/policy';
import { type EndSlice, runInSlices } from '../../admission/index.ts';
import type { VoteRecord } from '../../organizations/activities/activity-record.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { UsageSnapshot } from '../../usage/usage-service.ts';
import type { Authorization, Authorized, Planned, Proposal } from '../context.ts';
import type { Plan } from '../plan/executor.ts';
import type { PipelineServices } from '../services.ts';

/** Stage: allow, deny, or needs consensus. Pure except for reading the counters of spending limits. */
export async function authorizeActivity(services: PipelineServices, context: Planned): Promise<Authorized> {
  const { request, authenticated, proposal, record, stored, earlyDenial, plan, planContext } = context;
  const authorization =
    earlyDenial === undefined
      ? await authorizePlan(services, proposal, plan, request.admitted.endSlice)
      : { decision: earlyDenial, judgement: unreadJudgement(proposal, plan), reading: undefined };
  return { request, authenticated, proposal, record, stored, earlyDenial, plan, planContext, authorization };
}

/** Throws if the activity needs approvals but cannot be pending. */
export async function authorizePlan(
  services: PipelineServices,
  proposal: Proposal,
  plan: Plan<unknown, unknown>,
  endSlice: EndSlice,
): Promise<Authorization> {
  const { definition, home, target } = proposal;
  let judgement = judgementOf(proposal, plan);
  let reading: UsageSnapshot | undefined;
  if (hasLimits(home) || hasLimits(target)) {
    reading = await services.usage.service.read(judgement);
    // A new object: values that are memoized for the first one do not include usage.
    if (reading !== undefined) judgement = { ...judgement, usage: reading.usage };
  }
  const byCredential = decideByCredential(judgement);
  // SECURITY: D350: in slices, charged to the caller.
  const decided = byCredential ?? runInSlices(services.policies.authorize.decideInSteps(judgement), endSlice);
  const decision = decided instanceof Promise ? await decided : decided;
  requireImmediate(definition, decision);
  return { decision, judgement, reading };
}

function judgementOf(
  { definition, version, params, home, target, votes, nowMs }: Proposal,
  { subject }: Plan<unknown, unknown>,
): Judgement {
  return { rules: CURRENT_RULES, organization: home, target, votes, definition, type: version.type, params, subject, nowMs };
}

/** An early denial does not depend on parameters. */
export function unreadJudgement(
  proposal: Omit<Proposal, 'executor' | 'params' | 'identities'>,
  plan: Plan<unknown, unknown>,
): Judgement {
  return judgementOf({ ...(proposal as Proposal), params: {} }, plan);
}

function hasLimits({ records }: Snapshot): boolean {
  return records.velocityControl.size > 0;
}

/** Rejects an activity that needs approvals if its result is for the submitter alone: the response is sent before the approvals arrive. */
function requireImmediate({ submitterOnly }: ActivityDefinition, { outcome }: Decision): void {
  if (submitterOnly.length === 0 || outcome !== 'NEEDS_CONSENSUS') return;
  throw new ServiceError(
    'POLICY_DENIED',
    'request not authorized: the result is only in the response to this request, so it cannot be pending until others approve. Create a policy that allows it to this user alone, or send it as a user who needs no approval.',
  );
}

/** An activity before its parameters are read. */
type UnreadActivity = Pick<Proposal, 'definition' | 'version' | 'home'> & {
  /** The submitter's vote first. */
  readonly votes: readonly Pick<VoteRecord, 'userId' | 'publicKey'>[];
};

/** Bodies up to this many characters are always planned: that is cheap, and the denial then names the policies that were evaluated. */
export const SHORT_REQUEST = 4096;

/**
 * Denies a request of a frozen user or organization, and a long request that nothing can allow to its submitter, before its parameters are
 * read. Returns undefined if something could allow it.
 * SECURITY: D160: reading and planning can check a thousand public keys. A user without rights must not cause that work.
 */
export function denyEarly({ definition, version, home, votes }: UnreadActivity, bodyLength: number): Decision | undefined {
  const activity = { rules: CURRENT_RULES, organization: home, votes, definition, type: version.type };
  return bodyLength <= SHORT_REQUEST ? denyFrozen(activity) : denyUnread(activity);
}

/**
 * The same for a request that was submitted.
 * SECURITY: D373: if reading is restricted, a request of any length that nothing can allow is denied before it is planned. The errors of a
 * plan would tell its submitter which names, addresses and ids exist.
 */
export function denySubmitted(activity: UnreadActivity & Pick<Proposal, 'target'>, bodyLength: number): Decision | undefined {
  const isRestricted = isReadingRestricted(activity.home) || isReadingRestricted(activity.target);
  return denyEarly(activity, isRestricted ? Number.POSITIVE_INFINITY : bodyLength);
}

import { type ActivityDefinition, ServiceError } from '@countersign/contract';
import { decideByCredential, type Judgement } from '@countersign/judgement';
import type { Decision } from '@countersign/policy';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { UsageSnapshot } from '../../usage/usage-service.ts';
import type { Authorization, Authorized, Planned, Proposal } from '../context.ts';
import type { Plan } from '../plan/executor.ts';
import type { PipelineServices } from '../services.ts';

/** Stage: allow, deny, or needs consensus. Pure except for reading the counters of spending limits. */
export async function authorizeActivity(services: PipelineServices, context: Planned): Promise<Authorized> {
  const { proposal, plan, earlyDenial } = context;
  if (earlyDenial === undefined) return { ...context, authorization: await authorizePlan(services, proposal, plan) };
  return { ...context, authorization: { decision: earlyDenial, judgement: unreadJudgement(proposal, plan), reading: undefined } };
}

/** Throws if the activity needs approvals but cannot be pending. */
export async function authorizePlan(
  services: PipelineServices,
  proposal: Proposal,
  plan: Plan<unknown, unknown>,
): Promise<Authorization> {
  const { definition, home, target } = proposal;
  let judgement = judgementOf(proposal, plan);
  let reading: UsageSnapshot | undefined;
  if (hasLimits(home) || hasLimits(target)) {
    reading = await services.usage.service.read(judgement);
    // A new object: values that are memoized for the first one do not include usage.
    if (reading !== undefined) judgement = { ...judgement, usage: reading.usage };
  }
  const decision = decideByCredential(judgement) ?? services.policies.authorize.decide(judgement);
  requireImmediate(definition, decision);
  return { decision, judgement, reading };
}

function judgementOf(
  { definition, version, params, home, target, votes, nowMs }: Proposal,
  { subject }: Plan<unknown, unknown>,
): Judgement {
  return { organization: home, target, votes, definition, type: version.type, params, subject, nowMs };
}

/** An early denial does not depend on parameters. */
export function unreadJudgement(proposal: Omit<Proposal, 'params' | 'identities'>, plan: Plan<unknown, unknown>): Judgement {
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

import { effectiveLimits } from '../../config/limits.ts';
import type { Planned, Proposal, Proposed } from '../context.ts';
import { executorOf, type PipelineServices } from '../services.ts';
import type { Plan, PlanContext } from './executor.ts';

type PlanServices = Pick<PipelineServices, 'limits' | 'organizations' | 'notify' | 'store'>;

/** Stage: resolves names and parses transactions, read-only. The plan holds the intent that policies authorize and approvers see. */
export async function planActivity(services: PipelineServices, context: Proposed): Promise<Planned> {
  if (context.earlyDenial !== undefined) return { ...context, plan: emptyPlan(), planContext: undefined };
  const { definition, params } = context.proposal;
  const planContext = planContextOf(services, context.proposal);
  const plan = await executorOf(services, definition).plan(planContext, params);
  return { ...context, plan, planContext };
}

/**
 * The plan of an activity that is denied early.
 * SECURITY: D173: each plan has a separate subject. Caches key by subject, and their entries are collected with the request.
 */
export function emptyPlan(): Plan<unknown, unknown> {
  return { intent: null, subject: {}, prepared: undefined };
}

/** The context for the executor of a proposal. */
export function planContextOf(services: PlanServices, proposal: Proposal): PlanContext {
  const { limits, organizations, notify, store } = services;
  const { target, home, votes, nowMs, identities, requester } = proposal;
  const submitter = votes[0];
  if (submitter === undefined) throw new Error('an activity without a vote cannot be executed');
  const { userId: submitterId, publicKey: stampedWith, credentialId: submittedWith } = submitter;
  const { parentId } = target.profile;
  const byParent = home.id !== target.id;
  return {
    organization: target,
    submitterId,
    stampedWith,
    submittedWith,
    byParent,
    parent: async () => (byParent ? home : parentId === null ? undefined : organizations.snapshots.current(parentId)),
    resources: organizations.resources,
    counters: store.counters,
    limits: effectiveLimits(target, limits),
    identities,
    requester,
    webhookEgress: notify.webhooks.egress,
    pushEgress: notify.push.egress,
    nowMs,
  };
}

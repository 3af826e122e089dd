import { type ActivityDefinition, type ActivityVersion, ServiceError } from '@countersign/contract';
import { type Judgement, overruled } from '@countersign/judgement';
import type { Decision } from '@countersign/policy';
import type { UsedCredential } from '../../auth/ip-allowlist.ts';
import type { VoteRecord } from '../../organizations/activity-record.ts';
import type { LocalChange } from '../../organizations/changes.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';
import type { Reading } from '../../usage/book.ts';
import type { Awaitable } from '../../wire/awaitable.ts';
import type { Identities, Plan, PlanContext } from '../plan/executor.ts';
import { executorOf, type PipelineServices } from '../services.ts';

/** An activity to carry out as far as its votes reach. */
export interface Proposal {
  readonly definition: ActivityDefinition;
  readonly version: ActivityVersion;
  /** The parameters in their current form. */
  readonly params: unknown;
  readonly target: Snapshot;
  /** The organization whose users and policies judge it: the target, or its parent. */
  readonly home: Snapshot;
  readonly votes: readonly VoteRecord[];
  readonly nowMs: number;
  readonly identities: Identities;
  /** As executors see it. */
  readonly requester?: UsedCredential;
  /** What the vote itself changes, whatever becomes of the activity. */
  readonly changes?: readonly LocalChange[];
}

/** An activity whose intent was made and judged. */
export interface Judged {
  readonly plan: Plan<unknown, unknown>;
  readonly decision: Decision;
  readonly judgement: Judgement;
  /** What controls had counted. Undefined where none asks or counts. */
  readonly reading: Reading | undefined;
  /** What the executor looked at. Undefined where it was not asked. */
  readonly context?: PlanContext;
}

/**
 * Plans and judges, read-only. The submitter is who cast the first vote. Throws where approvals would come too late.
 * It waits only where the executor or a control has to read something.
 */
export function judge(services: PipelineServices, proposal: Proposal): Awaitable<Judged> {
  const context = planContext(services, proposal);
  const plan = executorOf(services, proposal.definition).plan(context, proposal.params);
  return plan instanceof Promise
    ? plan.then((made) => judgePlanned(services, proposal, context, made))
    : judgePlanned(services, proposal, context, plan);
}

function judgePlanned(
  services: PipelineServices,
  { definition, version, params, home, target, votes, nowMs }: Proposal,
  context: PlanContext,
  plan: Plan<unknown, unknown>,
): Awaitable<Judged> {
  const { subject } = plan;
  const { type } = version;
  const request: Judgement = { organization: home, target, votes, definition, type, params, subject, nowMs };
  const conclude = (judgement: Judgement, reading: Reading | undefined): Judged => {
    const decision = overruled(judgement) ?? services.authorize.decide(judgement);
    requireAtOnce(definition, decision);
    return { plan, decision, judgement, reading, context };
  };
  if (!hasControls(home) && !hasControls(target)) return conclude(request, undefined);
  // Another object, and not the same with one more field: what was derived from the first knows of no usage.
  const counted = (reading: Reading | undefined) => {
    if (reading === undefined) return conclude(request, undefined);
    const { usage } = reading;
    return conclude({ organization: home, target, votes, definition, type, params, subject, nowMs, usage }, reading);
  };
  const reading = services.usageBook.read(request);
  return reading instanceof Promise ? reading.then(counted) : counted(reading);
}

function hasControls({ records }: Snapshot): boolean {
  return records.velocityControl.size > 0;
}

/** Refuses to wait for approvals where nobody would get the result: the submitter's answer has left by then. */
function requireAtOnce({ submitterOnly }: ActivityDefinition, { outcome }: Decision): void {
  if (submitterOnly.length === 0 || outcome !== 'NEEDS_CONSENSUS') return;
  throw new ServiceError(
    'POLICY_DENIED',
    'request not authorized: the result is for the submitter alone, in the answer to this very request, so the approval of others cannot be waited for. Have a policy created that allows it to this user alone, or send it as a user who needs no approval.',
  );
}

/** What the executor of a proposal may look at. */
export function planContext(services: PipelineServices, proposal: Proposal): PlanContext {
  const { resources, limits, reachable, reachableByPush, snapshots, store } = services;
  const { target, home, votes, nowMs, identities, requester } = proposal;
  const submitter = votes[0];
  if (submitter === undefined) throw new Error('an activity without a vote cannot be carried out');
  const { userId: submitterId, publicKey: stampedWith, credentialId: submittedWith } = submitter;
  const { parentId } = target.profile;
  const byParent = home.id !== target.id;
  return {
    organization: target,
    submitterId,
    stampedWith,
    submittedWith,
    byParent,
    parent: async () => (byParent ? home : parentId === null ? undefined : snapshots.current(parentId)),
    resources,
    counters: store.counters,
    limits,
    identities,
    requester,
    reachable,
    reachableByPush,
    nowMs,
  };
}

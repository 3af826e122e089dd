import { type ActivityDefinition, type ActivityVersion, type ParsedShape, ServiceError } from '@countersign/contract';
import { contentToShow, credentialsOfUser, expired, showParsed } from '@countersign/judgement';
import type { Decision, Explanation } from '@countersign/policy';
import { type EndSlice, inSlices } from '../admission/index.ts';
import type { VoteRecord } from '../organizations/activities/activity-record.ts';
import type { Snapshot } from '../organizations/snapshot/snapshot.ts';
import { readParameters } from '../wire/read-parameters.ts';
import type { Caller } from './authenticate/authenticate.ts';
import { authorizePlan, denyEarly, SHORT_REQUEST, unreadJudgement } from './authorize/authorize.ts';
import type { Authorization, Proposal } from './context.ts';
import type { Plan } from './plan/executor.ts';
import { emptyPlan, planContextOf } from './plan/plan.ts';
import { chainFor, identitiesIn } from './plan/prepare.ts';
import { executorOf, type PipelineServices } from './services.ts';

/** The decision on an activity as if these users had approved it, the first one as its submitter. */
export interface Simulated {
  readonly decision: Decision;
  /** Only on request. */
  readonly explanation?: Explanation;
  readonly parsed?: ParsedShape;
}

/** A hypothetical activity. */
export interface ImaginedActivity {
  readonly definition: ActivityDefinition;
  readonly version: ActivityVersion;
  readonly parameters: unknown;
  /** Size of the request in bytes, including the parameters. */
  readonly length: number;
  /** Whether to explain the decision too. */
  readonly isExplained: boolean;
  /** Yields to other requests before the parameters are read. */
  yieldToOthers(): Promise<void> | undefined;
  readonly endSlice: EndSlice;
}

/** Plans and authorizes like a submit. Read-only: stores nothing and does not use the vault. */
export async function simulate(
  services: PipelineServices,
  target: Snapshot,
  activity: ImaginedActivity,
  approverIds: readonly string[],
  asking: SimulatingCaller,
): Promise<Simulated> {
  const { definition, version, length } = activity;
  const { authorize } = services.policies;
  const nowMs = services.clock.nowMs();
  // If the activity cannot be pending, approvals of others do not count.
  const counted = definition.submitterOnly.length === 0 ? approverIds : approverIds.slice(0, 1);
  const votes = counted.map((userId): VoteRecord => imaginedVote(target, userId, nowMs));
  const activityToPlan = { definition, version, target, home: target, votes, nowMs };
  // SECURITY: D160: like a submit, skip parsing parameters of requests that are denied anyway.
  // A submit would not contain the list of approvers, so subtract its length.
  const denial = denyEarly(activityToPlan, length - JSON.stringify(approverIds).length);
  if (denial === undefined) requireMayPlan(activity, approverIds, asking);
  const { plan, decision, judgement } = denial
    ? denied(denial, activityToPlan)
    : await planAndAuthorize(services, activityToPlan, activity);
  const parsed = contentToShow(plan.subject);
  const explained = activity.isExplained && (await inSlices(authorize.explainInSteps(judgement), activity.endSlice));
  return { decision, ...(explained && { explanation: explained }), ...(parsed && { parsed: showParsed(parsed) }) };
}

/** The user who asks for a simulation, and their organization. */
interface SimulatingCaller {
  readonly caller: Caller;
  readonly home: Snapshot;
}

/**
 * Rejects a long activity in the name of other users if the caller could not submit it.
 * SECURITY: D352: reading and planning it can take as long as a thousand short requests. A user without rights must not cause that work
 * by naming users who have them.
 */
function requireMayPlan(
  { definition, version, length }: ImaginedActivity,
  approverIds: readonly string[],
  { caller, home }: SimulatingCaller,
): void {
  if (approverIds.every((id) => id === caller.userId)) return;
  if (denyEarly({ definition, version, home, votes: [caller] }, length) === undefined) return;
  throw new ServiceError(
    'POLICY_DENIED',
    `request not authorized: nothing allows this user such an activity, so they can simulate it for other users only in requests of at most ${SHORT_REQUEST} bytes. Simulate a shorter one, or ask a user who may submit it.`,
  );
}

type UnplannedActivity = Omit<Proposal, 'executor' | 'params' | 'identities'>;
type Simulation = Pick<Authorization, 'decision' | 'judgement'> & { readonly plan: Plan<unknown, unknown> };

function denied(decision: Decision, activityToPlan: UnplannedActivity): Simulation {
  const plan = emptyPlan();
  return { plan, decision, judgement: unreadJudgement(activityToPlan, plan) };
}

async function planAndAuthorize(
  services: PipelineServices,
  activityToPlan: UnplannedActivity,
  { parameters, yieldToOthers, endSlice }: ImaginedActivity,
): Promise<Simulation> {
  await yieldToOthers();
  const params = readParameters(activityToPlan.version.params, parameters);
  const executor = executorOf(services, activityToPlan.definition);
  const identities = await identitiesIn(services, executor, params);
  const chain = await chainFor(services, executor, { params, organization: activityToPlan.target });
  const proposal = { ...activityToPlan, executor, params, identities, chain };
  const plan = await executor.plan(planContextOf(services, proposal), params);
  return { plan, ...(await authorizePlan(services, proposal, plan, endSlice)) };
}

/** An approval with the first credential that the user could stamp with, because the actual one is unknown. */
function imaginedVote(target: Snapshot, userId: string, createdAtMs: number): VoteRecord {
  const usable = [...credentialsOfUser(target.apiKeys, userId)].filter(
    ([, key]) => key.restrictedTo === undefined && !expired(key, createdAtMs),
  );
  const [credentialId = '', credential] = [...usable, ...credentialsOfUser(target.authenticators, userId)][0] ?? [];
  return {
    id: '',
    userId,
    userName: target.users.get(userId)?.userName ?? '',
    credentialId,
    selection: 'VOTE_SELECTION_APPROVED',
    message: '',
    publicKey: credential?.publicKey ?? '',
    signature: '',
    scheme: '',
    createdAtMs,
  };
}

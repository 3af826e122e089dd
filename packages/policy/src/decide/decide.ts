import { finished, type Steps } from '@countersign/collections';
import { StepBudget } from '../evaluate/step-budget.ts';
import type { DecisionLimits } from '../limits.ts';
import type { CompiledPolicy } from '../policy.ts';
import type { Approval, DecisionRequest, PolicyUser } from '../request.ts';
import { evaluateViews, type PolicyEvaluation } from './outcome.ts';
import { credentialsOf, pendingConsensus } from './pending.ts';
import type { MissingApprovals } from './pending-consensus.ts';
import type { PolicySet } from './policy-set.ts';
import { type RequestViews, type RootQuorumState, readRequest, viewsWithApproval } from './read-request.ts';

/** What a pending request needs: more members of the root quorum, or more approvals for one policy. */
export type Waiting =
  | { readonly by: 'ROOT_QUORUM'; readonly missing: readonly MissingApprovals[] }
  | { readonly by: 'POLICY'; readonly policyId: string; readonly missing: readonly MissingApprovals[] };

interface DecisionBase {
  /** The policies that were evaluated. The index skips those that cannot match. `explain` evaluates all. */
  readonly evaluations: readonly PolicyEvaluation[];
}

/** The decision on a request. `policyIds` are the policies that determined it. */
export type Decision =
  | (DecisionBase & {
      readonly outcome: 'ALLOW';
      readonly by: 'ROOT_QUORUM' | 'POLICY' | 'ROOT_USER' | 'SELF_SERVICE';
      readonly policyIds: readonly string[];
    })
  | (DecisionBase & {
      readonly outcome: 'DENY';
      /**
       * STEP_LIMIT: the policies take more steps than one decision may. FROZEN: the host denied it before any policy, because the user,
       * the key or the organization is frozen. HIDDEN_CONTENT: the host denies it, because it does not show what is signed.
       */
      readonly by: 'POLICY' | 'IMPLICIT' | 'ROOT_QUORUM_ONLY' | 'STEP_LIMIT' | 'FROZEN' | 'HIDDEN_CONTENT';
      readonly policyIds: readonly string[];
    })
  | (DecisionBase & {
      readonly outcome: 'NEEDS_CONSENSUS';
      /** Users whose approval would help. Other approvals change nothing. */
      readonly mayApprove: readonly string[];
      readonly waiting: readonly Waiting[];
      /** Policies that deny the request unless the root quorum approves it. */
      readonly policyIds: readonly string[];
    });

export type Denial = Extract<Decision, { readonly outcome: 'DENY' }>;

/**
 * Decides a request. Pure: the same policies, request and limits lead to the same decision.
 * The order is: root quorum, DENY, denials of the host, ALLOW, single root user, self-service, pending approvals, implicit DENY.
 * SECURITY: the order of the policies does not matter, and only a full root quorum overrides a DENY. A root user's request stays pending
 * for that quorum even if a policy denies it. Otherwise one DENY could lock out every quorum above one.
 */
export function decide(set: PolicySet, request: DecisionRequest, limits?: DecisionLimits): Decision {
  return finished(decideInSteps(set, request, limits));
}

/** The same in steps, because thousands of policies take longer than one turn of an event loop may. */
export function* decideInSteps(set: PolicySet, request: DecisionRequest, limits?: DecisionLimits): Steps<Decision> {
  const read = readRequest(request);
  const { approval, root } = read;
  if (root.met) return { outcome: 'ALLOW', by: 'ROOT_QUORUM', policyIds: [], evaluations: [] };
  if (request.rootQuorumOnly === true) {
    if (root.missing === undefined) return { outcome: 'DENY', by: 'ROOT_QUORUM_ONLY', policyIds: [], evaluations: [] };
    return { ...needsConsensus([{ by: 'ROOT_QUORUM', missing: [root.missing] }]), policyIds: [], evaluations: [] };
  }
  const { views } = read;
  const { allow } = views;
  const found = set.candidatesInSteps === undefined ? set.candidates(allow) : yield* set.candidatesInSteps(allow);
  const candidates = withDenials(set, views, found);
  const evaluations = yield* evaluateInSteps(candidates, views, new StepBudget(limits?.steps));
  if (evaluations === undefined) return outOfSteps(root);
  const budget = new StepBudget(limits?.pendingSteps);
  const decision = yield* concludeInSteps(set, request, { approval, root, views, candidates, evaluations, budget });
  return budget.isExhausted ? outOfSteps(root) : decision;
}

/** The policies that can matter for a request. The others cannot change the decision, regardless of the values of controls. */
export function candidatePolicies(set: PolicySet, request: DecisionRequest): readonly CompiledPolicy[] {
  return candidatesIn(set, readRequest(request).views);
}

/** The policies that can matter for one of the views of a request. */
function candidatesIn(set: PolicySet, views: RequestViews): readonly CompiledPolicy[] {
  return withDenials(set, views, set.candidates(views.allow));
}

/** The candidates for one view, and those that can deny in another. */
function withDenials(set: PolicySet, { allow, deny }: RequestViews, found: readonly CompiledPolicy[]): readonly CompiledPolicy[] {
  const [first] = deny;
  if (deny.length === 1 && first === allow) return found;
  const denials = deny.flatMap((view) => set.candidates(view).filter(({ effect }) => effect === 'EFFECT_DENY'));
  return [...new Set([...found, ...denials])];
}

/** The evaluations of these policies, in their order. None if policies are not consulted for the request. */
export function evaluatePolicies(policies: readonly CompiledPolicy[], request: DecisionRequest): readonly PolicyEvaluation[] {
  const { root, views } = readRequest(request);
  if (root.met || request.rootQuorumOnly === true) return [];
  return policies.map((policy) => evaluateViews(policy, views).evaluation);
}

/** The evaluation of every policy. Undefined if the budget does not suffice for all. */
function* evaluateInSteps(
  policies: readonly CompiledPolicy[],
  views: RequestViews,
  budget: StepBudget,
): Steps<readonly PolicyEvaluation[] | undefined> {
  const evaluations: PolicyEvaluation[] = [];
  for (const policy of policies) {
    budget.spend(1);
    evaluations.push(evaluateViews(policy, views, budget).evaluation);
    if (budget.isExhausted) return undefined;
    if (budget.isSliceOver) yield undefined;
  }
  return evaluations;
}

/**
 * SECURITY: D350: policies that were not evaluated may deny, so nothing is allowed. Only the root quorum, which no policy restricts, can
 * still approve: it must be able to remove the policies. The result lists no policies, so it does not depend on their order.
 */
function outOfSteps(root: RootQuorumState): Decision {
  if (root.missing === undefined) return { outcome: 'DENY', by: 'STEP_LIMIT', policyIds: [], evaluations: [] };
  return { ...needsConsensus([{ by: 'ROOT_QUORUM', missing: [root.missing] }]), policyIds: [], evaluations: [] };
}

/** A request and the evaluations of its policies. */
interface Evaluated {
  readonly approval: Approval;
  readonly root: RootQuorumState;
  readonly views: RequestViews;
  readonly candidates: readonly CompiledPolicy[];
  readonly evaluations: readonly PolicyEvaluation[];
  /** For finding the users who may still approve. */
  readonly budget: StepBudget;
}

/** The decision that follows from the evaluations. */
function* concludeInSteps(set: PolicySet, request: DecisionRequest, evaluated: Evaluated): Steps<Decision> {
  const { approval, root, views, candidates, evaluations, budget } = evaluated;
  const rootWaiting: readonly Waiting[] = root.missing === undefined ? [] : [{ by: 'ROOT_QUORUM', missing: [root.missing] }];
  const denials = evaluations.filter(({ denies }) => denies).map(({ policyId }) => policyId);
  if (denials.length > 0) {
    if (rootWaiting.length > 0) return { ...needsConsensus(rootWaiting), policyIds: denials, evaluations };
    return { outcome: 'DENY', by: 'POLICY', policyIds: denials, evaluations };
  }
  if (request.denied !== undefined) {
    if (rootWaiting.length > 0) return { ...needsConsensus(rootWaiting), policyIds: [], evaluations };
    return { outcome: 'DENY', by: request.denied, policyIds: [], evaluations };
  }
  const grants = evaluations.filter(({ outcome }) => outcome === 'OUTCOME_ALLOW').map(({ policyId }) => policyId);
  if (grants.length > 0) return { outcome: 'ALLOW', by: 'POLICY', policyIds: grants, evaluations };
  if (request.rootUserSuffices === true) return { outcome: 'ALLOW', by: 'ROOT_USER', policyIds: [], evaluations };
  if (request.selfService === true && approval.users.length > 0)
    return { outcome: 'ALLOW', by: 'SELF_SERVICE', policyIds: [], evaluations };
  const unmet = candidates.filter((_, index) => evaluations[index]?.outcome === 'OUTCOME_REQUIRES_CONSENSUS');
  const others = unmet.length === 0 ? [] : yield* welcomeUsers(set, request, evaluated);
  const all = [...rootWaiting];
  for (const { id, consensus } of unmet) {
    const pending = consensus && (yield* pendingConsensus(consensus, views.allow, approval, others, budget));
    if (pending !== undefined) all.push({ by: 'POLICY', policyId: id, missing: pending.missing });
    if (budget.isExhausted) break;
    if (budget.isSliceOver) yield undefined;
  }
  if (all.length > 0) return { ...needsConsensus(all), policyIds: [], evaluations };
  return { outcome: 'DENY', by: 'IMPLICIT', policyIds: [], evaluations };
}

function needsConsensus(waiting: readonly Waiting[]) {
  const mayApprove = [...new Set(waiting.flatMap(({ missing }) => missing.flatMap(({ userIds }) => userIds)))].sort();
  return { outcome: 'NEEDS_CONSENSUS', mayApprove, waiting } as const;
}

/** The users who have not approved yet and whose approval would not cause a DENY. */
function* welcomeUsers(
  set: PolicySet,
  request: DecisionRequest,
  { approval, views, budget }: Evaluated,
): Steps<readonly PolicyUser[]> {
  const present = new Set(approval.users.map(({ id }) => id));
  const others = [...request.organizationUsers.values()].filter(({ id }) => !present.has(id));
  if (!set.denyDependsOnPeople) return others;
  const denied = (user: PolicyUser, credentials: Approval['credentials']) => {
    const people = { users: [...approval.users, user], credentials: [...approval.credentials, ...credentials] };
    const joined = viewsWithApproval(views, people);
    const candidates = candidatesIn(set, joined);
    if (!budget.spend(people.users.length + candidates.length)) return true;
    return candidates.some(
      (policy) => policy.effect === 'EFFECT_DENY' && evaluateViews(policy, joined, budget).evaluation.denies,
    );
  };
  const welcome: PolicyUser[] = [];
  for (const user of others) {
    const ways = credentialsOf(user).map((credential) => [credential]);
    const isDenied = ways.length === 0 ? denied(user, []) : ways.every((way) => denied(user, way));
    if (!isDenied) welcome.push(user);
    if (budget.isExhausted) return [];
    if (budget.isSliceOver) yield undefined;
  }
  return welcome;
}

import { finished, type Steps } from '@countersign/collections';
import {
  type CompiledPolicy,
  type Decision,
  type DecisionLimits,
  decideInSteps as decidePolicies,
  type Explanation,
  evaluatePolicies,
  explainInSteps as explainPolicies,
  type GrowingPolicySet,
  type NamespaceValues,
  type PolicyOutcome,
  type PolicyReads,
  type PolicySet,
  readsOf,
  StepBudget,
} from '@countersign/policy';
import { authorityOf } from './authority.ts';
import { policySetOf } from './compiled-policies.ts';
import { toDecisionRequest } from './decision-request.ts';
import { decideByFreeze, freezeSentence, type Suspension, suspensionOf } from './freezes.ts';
import type { Authorize, Judgement } from './judgement.ts';
import { type MustBeNamed, mustBeNamed } from './named-in-policy.ts';
import { liveApprovals, usersToShowMore } from './people.ts';
import { rulesOf } from './rules.ts';

/** The most policies that an explanation includes. */
const MAX_EXPLAINED = 200;

/** Authorizes by root quorum, then policies, then self-service. */
export const authorizeByPolicy: Authorize = {
  decide: (judgement) => finished(decideInSteps(judgement)),
  decideInSteps,
  explain: (judgement, among) => finished(explainInSteps(judgement, among)),
  explainInSteps,

  reads(judgement, decision): readonly PolicyReads[] {
    const ids = decidingPolicies(decision);
    if (ids.length === 0) return [];
    const all = policySetOf(judgement.organization);
    const policies = ids.map((id) => all.get(id)).filter((policy) => policy !== undefined);
    return readsOf(policies, toDecisionRequest(judgement));
  },
};

function* decideInSteps(judgement: Judgement): Steps<Decision> {
  const frozen = decideByFreeze(judgement);
  if (frozen !== undefined) return frozen;
  const toShowMore = usersToShowMore(judgement);
  if (toShowMore.length === 0) return yield* decideNow(judgement);
  const otherwise = yield* decideNow({ ...judgement, mfaAssumed: true });
  if (otherwise.outcome === 'DENY') return otherwise;
  // The submitter's own approval is required, even if policies would allow the request without an approver.
  const submitterWaits = toShowMore.includes(judgement.votes[0]?.userId ?? '');
  const decision = submitterWaits ? otherwise : yield* decideNow(judgement);
  if (!submitterWaits && decision.outcome !== 'NEEDS_CONSENSUS') return decision;
  const nothing = { mayApprove: [], waiting: [], policyIds: [] };
  const { mayApprove, waiting, policyIds } = decision.outcome === 'NEEDS_CONSENSUS' ? decision : nothing;
  return {
    outcome: 'NEEDS_CONSENSUS',
    mayApprove: [...new Set([...mayApprove, ...toShowMore])].sort(),
    waiting,
    policyIds,
    evaluations: decision.evaluations,
  };
}

function* explainInSteps(judgement: Judgement, among?: readonly string[]): Steps<Explanation> {
  const suspension = suspensionOf(judgement);
  if (suspension !== undefined) return explainFreeze(suspension, judgement);
  const { decisionLimits } = rulesOf(judgement);
  const all = policySetOf(judgement.organization);
  const required = mustBeNamed(judgement);
  const toShowMore = usersToShowMore(judgement);
  const judged = toShowMore.length === 0 ? judgement : { ...judgement, mfaAssumed: true as const };
  const { denyDependsOnPeople } = all;
  const candidates = (values: NamespaceValues) => all.candidates(values);
  const policies = yield* toExplain(all, judged, among);
  const set = counting({ policies, denyDependsOnPeople, candidates }, required, decisionLimits);
  const explained = yield* explainPolicies(set, toDecisionRequest(judged), decisionLimits);
  const isPartial = among === undefined && policies.length < all.size;
  const shown = isPartial ? { ...explained, shortened: true as const } : explained;
  const explanation = toShowMore.length === 0 ? shown : { ...shown, decision: yield* decideInSteps(judgement) };
  if (explanation.decision.outcome === 'ALLOW') return explanation;
  return { ...explanation, changes: [...restrictions(judged, required), ...explanation.changes] };
}

/** The outcomes of some policies, as `decide` would evaluate them. A policy that does not count for the request has none. */
export function outcomesOf(judgement: Judgement, ids: readonly string[]): ReadonlyMap<string, PolicyOutcome> {
  const all = policySetOf(judgement.organization);
  const judged = usersToShowMore(judgement).length === 0 ? judgement : { ...judgement, mfaAssumed: true as const };
  const policies = counted(policiesOf(all, ids), mustBeNamed(judgement), rulesOf(judgement).decisionLimits);
  const evaluations = evaluatePolicies(policies, toDecisionRequest(judged));
  return new Map(evaluations.map(({ policyId, outcome }) => [policyId, outcome]));
}

/** The explanation of a request that a freeze stops. No policy was evaluated. */
function explainFreeze(suspension: Suspension, judgement: Judgement): Explanation {
  const { threshold, userIds } = judgement.organization.profile.rootQuorum;
  const approvers = [...new Set(liveApprovals(judgement).map(({ user }) => user.id))];
  const approved = approvers.filter((id) => userIds.includes(id)).length;
  return {
    decision: { outcome: 'DENY', by: 'FROZEN', policyIds: [], evaluations: [] },
    rootQuorum: { met: approved >= threshold, approved, threshold },
    approvers,
    policies: [],
    changes: [`${freezeSentence(suspension)}. The root quorum must unfreeze it first`],
  };
}

/** The policies that determined a decision, or that a pending request waits for. */
function decidingPolicies(decision: Decision): readonly string[] {
  if (decision.outcome !== 'NEEDS_CONSENSUS') return decision.policyIds;
  return [...decision.policyIds, ...decision.waiting.flatMap((each) => (each.by === 'POLICY' ? [each.policyId] : []))];
}

/**
 * The policies to explain: the named ones, or all. If there are too many, those that determine the decision, then those that it evaluates,
 * then others.
 */
function* toExplain(
  all: GrowingPolicySet,
  judgement: Judgement,
  among: readonly string[] | undefined,
): Steps<readonly CompiledPolicy[]> {
  if (among === undefined && all.size <= MAX_EXPLAINED) return all.policies;
  if (among !== undefined) return policiesOf(all, among);
  const decision = yield* decideNow(judgement);
  const evaluated = decision.evaluations.map(({ policyId }) => policyId);
  const first = policiesOf(all, [...decidingPolicies(decision), ...evaluated].slice(0, MAX_EXPLAINED));
  return [...new Set([...first, ...all.first(MAX_EXPLAINED)])].slice(0, MAX_EXPLAINED);
}

function policiesOf(all: GrowingPolicySet, ids: readonly string[]): readonly CompiledPolicy[] {
  return [...new Set(ids)].map((id) => all.get(id)).filter((policy) => policy !== undefined);
}

function decideNow(judgement: Judgement): Steps<Decision> {
  const { decisionLimits } = rulesOf(judgement);
  const set = counting(policySetOf(judgement.organization), mustBeNamed(judgement), decisionLimits);
  return decidePolicies(set, toDecisionRequest(judgement), decisionLimits);
}

/** The policies that count for a request: every DENY, and each ALLOW whose condition names all that it must name. */
export function counting(set: PolicySet, required: readonly MustBeNamed[], limits: DecisionLimits | undefined): PolicySet {
  if (required.length === 0) return set;
  const counted = countedOnce(required, limits);
  return {
    get policies() {
      return finished(counted(set.policies));
    },
    denyDependsOnPeople: set.denyDependsOnPeople,
    candidates: (values) => finished(counted(set.candidates(values))),
    candidatesInSteps: (values) => counted(set.candidates(values)),
  };
}

/** Whether a policy names all that it must name, and the steps of finding out. */
interface Naming {
  readonly isNamed: boolean;
  readonly steps: number;
}

const isDeny = ({ effect }: CompiledPolicy) => effect === 'EFFECT_DENY';

/**
 * Returns a function that selects the policies that count for a request. If finding out takes too many steps, no ALLOW counts, regardless
 * of their order.
 * SECURITY: D433: a decision asks for candidates once for each user who may approve, so each policy is evaluated once. After too many
 * steps, none is.
 */
function countedOnce(required: readonly MustBeNamed[], limits: DecisionLimits | undefined) {
  const known = new Map<CompiledPolicy, Naming>();

  function* find(policy: CompiledPolicy): Steps<Naming> {
    const budget = new StepBudget(limits?.steps);
    let isNamed = true;
    for (const { isNamedIn } of required) {
      isNamed = isNamedIn(policy, budget);
      if (!isNamed || budget.isExhausted) break;
      if (budget.isSliceOver) yield undefined;
    }
    const found = { isNamed, steps: budget.spent };
    known.set(policy, found);
    return found;
  }

  return function* counted(policies: readonly CompiledPolicy[]): Steps<readonly CompiledPolicy[]> {
    const budget = new StepBudget(limits?.steps);
    const selected: CompiledPolicy[] = [];
    for (const policy of policies) {
      if (isDeny(policy)) {
        selected.push(policy);
        continue;
      }
      const before = known.get(policy);
      const { isNamed, steps } = before ?? (yield* find(policy));
      if (!budget.spend(steps)) return policies.filter(isDeny);
      if (isNamed) selected.push(policy);
      if (before === undefined && budget.isSliceOver) yield undefined;
    }
    return selected;
  };
}

/** Those of some policies that count for a request. */
function counted(
  policies: readonly CompiledPolicy[],
  required: readonly MustBeNamed[],
  limits: DecisionLimits | undefined,
): readonly CompiledPolicy[] {
  return required.length === 0 ? policies : finished(countedOnce(required, limits)(policies));
}

/** Why a request is not allowed, apart from its policies. */
function restrictions(judgement: Judgement, required: readonly MustBeNamed[]): string[] {
  const { reserved } = authorityOf(judgement);
  return [
    ...(reserved === undefined ? [] : [`only the root quorum may do this, because ${reserved}`]),
    ...required.map(({ why }) => why),
    ...usersToShowMore(judgement).map((id) => `user ${id} has to approve with what their MFA policies demand`),
  ];
}

import {
  type Decision,
  decide,
  type Explanation,
  explain,
  type GrowingPolicySet,
  type NamespaceValues,
  type PolicyReads,
  type PolicySet,
  readsOf,
} from '@countersign/policy';
import { authorityOf } from './authority.ts';
import { policySetOf } from './compiled-policies.ts';
import { toDecisionRequest } from './decision-request.ts';
import type { Authorize, Judgement } from './judgement.ts';
import { type MustBeNamed, mustBeNamed } from './named-in-policy.ts';
import { usersToShowMore } from './people.ts';
import { rulesOf } from './rules.ts';

/** The most policies that an explanation includes although the decision did not evaluate them. */
const MAX_EXPLAINED = 200;

/** Authorizes by root quorum, then policies, then self-service. */
export const authorizeByPolicy: Authorize = {
  decide(judgement) {
    rulesOf(judgement);
    const toShowMore = usersToShowMore(judgement);
    if (toShowMore.length === 0) return decideNow(judgement);
    const otherwise = decideNow({ ...judgement, mfaAssumed: true });
    if (otherwise.outcome === 'DENY') return otherwise;
    // The submitter's own approval is required, even if policies would allow the request without an approver.
    const submitterWaits = toShowMore.includes(judgement.votes[0]?.userId ?? '');
    const decision = submitterWaits ? otherwise : decideNow(judgement);
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
  },

  explain(judgement, among): Explanation {
    const all = policySetOf(judgement.organization);
    const required = mustBeNamed(judgement);
    const toShowMore = usersToShowMore(judgement);
    const judged = toShowMore.length === 0 ? judgement : { ...judgement, mfaAssumed: true as const };
    const { denyDependsOnPeople } = all;
    const candidates = (values: NamespaceValues) => all.candidates(values);
    const set = counting({ policies: toExplain(all, judged, among), denyDependsOnPeople, candidates }, required);
    const explained = explain(set, toDecisionRequest(judged));
    const explanation = toShowMore.length === 0 ? explained : { ...explained, decision: authorizeByPolicy.decide(judgement) };
    if (explanation.decision.outcome === 'ALLOW') return explanation;
    return { ...explanation, changes: [...restrictions(judged, required), ...explanation.changes] };
  },

  reads(judgement, decision): readonly PolicyReads[] {
    const ids = decidingPolicies(decision);
    if (ids.length === 0) return [];
    const all = policySetOf(judgement.organization);
    const policies = ids.map((id) => all.get(id)).filter((policy) => policy !== undefined);
    return readsOf(policies, toDecisionRequest(judgement));
  },
};

/** The policies that determined a decision, or that a pending request waits for. */
function decidingPolicies(decision: Decision): readonly string[] {
  if (decision.outcome !== 'NEEDS_CONSENSUS') return decision.policyIds;
  return [...decision.policyIds, ...decision.waiting.flatMap((each) => (each.by === 'POLICY' ? [each.policyId] : []))];
}

/** The policies to explain: the named ones, or all. If there are too many, those that the decision evaluates and some others. */
function toExplain(all: GrowingPolicySet, judgement: Judgement, among: readonly string[] | undefined) {
  if (among === undefined && all.size <= MAX_EXPLAINED) return all.policies;
  const asked = among ?? decideNow(judgement).evaluations.map(({ policyId }) => policyId);
  const others = among === undefined ? all.first(MAX_EXPLAINED) : [];
  const named = asked.map((id) => all.get(id)).filter((policy) => policy !== undefined);
  return [...new Set([...named, ...others])];
}

function decideNow(judgement: Judgement): Decision {
  return decide(counting(policySetOf(judgement.organization), mustBeNamed(judgement)), toDecisionRequest(judgement));
}

/** The policies that count for a request: every DENY, and each ALLOW whose condition names all that it must name. */
function counting(set: PolicySet, required: readonly MustBeNamed[]): PolicySet {
  if (required.length === 0) return set;
  const counts = ({ effect, source }: PolicySet['policies'][number]) =>
    effect === 'EFFECT_DENY' || required.every(({ isNamedIn }) => isNamedIn(source.condition ?? ''));
  return {
    get policies() {
      return set.policies.filter(counts);
    },
    denyDependsOnPeople: set.denyDependsOnPeople,
    candidates: (values) => set.candidates(values).filter(counts),
  };
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

import { compilePolicies, type Decision, decide, type Explanation, explain, type PolicySet } from '@countersign/policy';
import { authorityOf } from './authority.ts';
import { namedIn } from './controls/named.ts';
import { toDecisionRequest } from './decision-request.ts';
import { derived } from './derived.ts';
import { toPolicySource } from './earlier-policies.ts';
import type { Authorize, Judgement } from './judgement.ts';
import { type MustBeNamed, mustBeNamed } from './named-in-policy.ts';
import type { JudgedOrganization } from './organization.ts';
import { usersToShowMore } from './people.ts';
import { policyOptionsOf } from './policy-options.ts';

type Compiled = PolicySet & {
  readonly byId: ReadonlyMap<string, PolicySet['policies'][number]>;
  /** The ids of the controls that policies name. */
  readonly controls: ReadonlySet<string>;
};

type Policies = JudgedOrganization['policies'];
type Controls = JudgedOrganization['records']['velocityControl'];

const compiledOf = derived((policies: Policies) => derived((velocityControl: Controls) => compile(policies, velocityControl)));

function compile(policies: Policies, velocityControl: Controls): Compiled {
  const sources = [...policies].map(([id, record]) => toPolicySource(id, record));
  const made = compilePolicies(sources, policyOptionsOf({ records: { velocityControl } }));
  const controls = new Set(made.policies.flatMap((policy) => namedIn(policy, velocityControl)));
  return { ...made, byId: new Map(made.policies.map((policy) => [policy.id, policy])), controls };
}

/** The compiled policies of an organization. They are compiled once, until one of them or a control changes. */
export function policySetOf({ policies, records }: JudgedOrganization): Compiled {
  return compiledOf(policies)(records.velocityControl);
}

/** Judges by root quorum, then policies, then self-service. */
export const authorizeByPolicy: Authorize = {
  decide(judgement) {
    const toShowMore = judgement.organization.records.mfaPolicy.size === 0 ? [] : usersToShowMore(judgement);
    if (toShowMore.length === 0) return decideNow(judgement);
    const otherwise = decideNow({ ...judgement, mfaAssumed: true });
    if (otherwise.outcome === 'DENY') return otherwise;
    // Without the submitter's own approval nothing happens, whatever policies would say to a request of nobody.
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
    const policies = among?.map((id) => all.byId.get(id)).filter((policy) => policy !== undefined);
    const required = mustBeNamed(judgement);
    const set = counting({ ...all, ...(policies && { policies }) }, required);
    const toShowMore = usersToShowMore(judgement);
    const judged = toShowMore.length === 0 ? judgement : { ...judgement, mfaAssumed: true as const };
    const explained = explain(set, toDecisionRequest(judged));
    const explanation = toShowMore.length === 0 ? explained : { ...explained, decision: authorizeByPolicy.decide(judgement) };
    if (explanation.decision.outcome === 'ALLOW') return explanation;
    return { ...explanation, changes: [...restrictions(judged, required), ...explanation.changes] };
  },
};

function decideNow(judgement: Judgement): Decision {
  return decide(counting(policySetOf(judgement.organization), mustBeNamed(judgement)), toDecisionRequest(judgement));
}

/** The policies that count for a request: every DENY, and each ALLOW that speaks of all that it must name. */
function counting(set: PolicySet, required: readonly MustBeNamed[]): PolicySet {
  if (required.length === 0) return set;
  const counts = ({ effect, source }: PolicySet['policies'][number]) =>
    effect === 'EFFECT_DENY' || required.every(({ isNamedIn }) => isNamedIn(source.condition ?? ''));
  return {
    ...set,
    policies: set.policies.filter(counts),
    candidates: (values) => set.candidates(values).filter(counts),
  };
}

/** What stands in the way of a request beside its policies. */
function restrictions(judgement: Judgement, required: readonly MustBeNamed[]): string[] {
  const { reserved } = authorityOf(judgement);
  return [
    ...(reserved === undefined ? [] : [`only the root quorum may do this, because ${reserved}`]),
    ...required.map(({ why }) => why),
    ...usersToShowMore(judgement).map((id) => `user ${id} has to approve with what their MFA policies demand`),
  ];
}

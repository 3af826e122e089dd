import { compilePolicies, decide, type Explanation, explain, type PolicySet } from '@countersign/policy';
import type { Snapshot } from '../organizations/snapshot.ts';
import { authorityOf } from './authority.ts';
import { toDecisionRequest } from './decision-request.ts';
import type { Authorize, Judgement } from './judgement.ts';
import { type MustBeNamed, mustBeNamed } from './named-in-policy.ts';
import { policyOptions } from './policy-options.ts';

type Compiled = PolicySet & { readonly byId: ReadonlyMap<string, PolicySet['policies'][number]> };

const compiled = new WeakMap<Snapshot, Compiled>();

/** The policies of an organization, compiled once per version of it. */
export function policySetOf(organization: Snapshot): Compiled {
  const known = compiled.get(organization);
  if (known !== undefined) return known;
  const sources = [...organization.policies].map(([id, { effect, condition, consensus, time }]) => ({
    id,
    effect,
    condition,
    consensus,
    time,
  }));
  const made = compilePolicies(sources, policyOptions);
  const set = { ...made, byId: new Map(made.policies.map((policy) => [policy.id, policy])) };
  compiled.set(organization, set);
  return set;
}

/** Root quorum, then policies, then what users may do with their own credentials. */
export const authorizeByPolicy: Authorize = {
  decide(judgement) {
    return decide(counting(policySetOf(judgement.organization), mustBeNamed(judgement)), toDecisionRequest(judgement));
  },

  explain(judgement, among): Explanation {
    const all = policySetOf(judgement.organization);
    const policies = among?.map((id) => all.byId.get(id)).filter((policy) => policy !== undefined);
    const required = mustBeNamed(judgement);
    const set = counting({ ...all, ...(policies && { policies }) }, required);
    const explanation = explain(set, toDecisionRequest(judgement));
    if (explanation.decision.outcome === 'ALLOW') return explanation;
    return { ...explanation, changes: [...restrictions(judgement, required), ...explanation.changes] };
  },
};

/** The policies that count for a request: every DENY, and each ALLOW that speaks of all that it must name. */
function counting(set: PolicySet, required: readonly MustBeNamed[]): PolicySet {
  if (required.length === 0) return set;
  const counts = ({ effect, source }: PolicySet['policies'][number]) =>
    effect === 'EFFECT_DENY' || required.every(({ word }) => word.test(source.condition ?? ''));
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
  ];
}

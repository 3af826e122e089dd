import { compilePolicies, type Decision, decide, type Explanation, explain, type PolicySet } from '@countersign/policy';
import type { Snapshot } from '../organizations/snapshot.ts';
import type { Authorize, Judgement } from '../pipeline/authorize.ts';
import { toDecisionRequest } from './decision-request.ts';
import { policyOptions } from './policy-options.ts';

const compiled = new WeakMap<Snapshot, PolicySet>();

/** The policies of an organization, compiled once per version of it. */
export function policySetOf(organization: Snapshot): PolicySet {
  const known = compiled.get(organization);
  if (known !== undefined) return known;
  const sources = [...organization.policies].map(([id, { effect, condition, consensus, time }]) => ({
    id,
    effect,
    condition,
    consensus,
    time,
  }));
  const set = compilePolicies(sources, policyOptions);
  compiled.set(organization, set);
  return set;
}

/** Root quorum, then policies, then what users may do with their own credentials. */
export const authorizeByPolicy: Authorize = {
  decide(judgement) {
    const set = policySetOf(judgement.organization);
    return requireDelegationNamed(judgement, set, decide(set, toDecisionRequest(judgement)));
  },

  explain(judgement): Explanation {
    const set = policySetOf(judgement.organization);
    const explanation = explain(set, toDecisionRequest(judgement));
    const decision = requireDelegationNamed(judgement, set, explanation.decision);
    if (decision === explanation.decision) return explanation;
    return { ...explanation, decision, changes: [DELEGATION_UNNAMED, ...explanation.changes] };
  },
};

const DELEGATION_UNNAMED =
  'the transaction hands the code of an account to somebody else (EIP-7702), and no policy that allows it speaks of `eth.tx.type` or `eth.tx.authorization_list`';

/**
 * SECURITY: D36: a policy written for `to` and `value` does not mean to allow a transaction that delegates an account's code. Such a
 * transaction needs a policy that names its type or its authorizations.
 */
function requireDelegationNamed({ subject }: Judgement, set: PolicySet, decision: Decision): Decision {
  const delegates = subject.parsed?.namespace === 'eth.tx' && subject.parsed.policy.type === 'TYPE_4';
  if (!delegates || decision.outcome !== 'ALLOW' || decision.by !== 'POLICY') return decision;
  const named = set.policies.some(
    ({ id, source }) => decision.policyIds.includes(id) && /\beth\.tx\.(type|authorization_list)\b/.test(source.condition ?? ''),
  );
  return named ? decision : { outcome: 'DENY', by: 'IMPLICIT', policyIds: [], evaluations: decision.evaluations };
}

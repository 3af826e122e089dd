import { compilePolicies, type Decision, decide, type Explanation, explain, type PolicySet } from '@countersign/policy';
import type { Snapshot } from '../organizations/snapshot.ts';
import { toDecisionRequest } from './decision-request.ts';
import type { Authorize, Judgement } from './judgement.ts';
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
    const set = policySetOf(judgement.organization);
    return requireDelegationNamed(judgement, set, decide(set, toDecisionRequest(judgement)));
  },

  explain(judgement, among): Explanation {
    const all = policySetOf(judgement.organization);
    const policies = among?.map((id) => all.byId.get(id)).filter((policy) => policy !== undefined);
    const set = { ...all, ...(policies && { policies }) };
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
function requireDelegationNamed({ subject }: Judgement, { byId }: Compiled, decision: Decision): Decision {
  const delegates = subject.parsed?.namespace === 'eth.tx' && subject.parsed.policy.type === 'TYPE_4';
  if (!delegates || decision.outcome === 'DENY') return decision;
  const names = (id: string) => /\beth\.tx\.(type|authorization_list)\b/.test(byId.get(id)?.source.condition ?? '');
  const denied: Decision = { outcome: 'DENY', by: 'IMPLICIT', policyIds: [], evaluations: decision.evaluations };
  if (decision.outcome === 'ALLOW') return decision.by !== 'POLICY' || decision.policyIds.some(names) ? decision : denied;
  // Nor is it worth waiting for approvals that such a policy asks for.
  const waiting = decision.waiting.filter((each) => each.by === 'ROOT_QUORUM' || names(each.policyId));
  if (waiting.length === decision.waiting.length) return decision;
  const welcome = new Set(waiting.flatMap(({ missing }) => missing.flatMap(({ userIds }) => userIds)));
  return waiting.length === 0
    ? denied
    : { ...decision, waiting, mayApprove: decision.mayApprove.filter((id) => welcome.has(id)) };
}

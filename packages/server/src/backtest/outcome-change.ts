import type { Judgement, PolicyRecord } from '@countersign/judgement';
import type { Decision } from '@countersign/policy';

export type BacktestOutcome = Decision['outcome'];

/** The outcome of a decision. If the activity cannot be pending, one that needs approvals is denied. */
export function outcomeOf({ outcome }: Decision, { definition }: Judgement): BacktestOutcome {
  return outcome === 'NEEDS_CONSENSUS' && definition.submitterOnly.length > 0 ? 'DENY' : outcome;
}

/** Why two outcomes differ. The sentence is the same for all activities with the same cause. */
export function changeReason(
  before: Decision,
  after: Decision,
  policies: ReadonlyMap<string, Pick<PolicyRecord, 'policyName'>>,
): string {
  const named = (ids: readonly string[]) => {
    const names = [...ids].sort().map((id) => `"${policies.get(id)?.policyName ?? id}"`);
    return `${names.length === 1 ? 'policy' : 'policies'} ${names.join(', ')}`;
  };
  if (after.outcome === 'ALLOW') {
    if (after.by === 'ROOT_QUORUM') return 'allowed by the root quorum';
    if (before.outcome === 'DENY' && before.by === 'HIDDEN_CONTENT')
      return 'its key may sign hashes again, because no rule on transactions covers it';
    if (before.outcome === 'DENY' && before.by === 'POLICY') return `no longer denied by ${named(before.policyIds)}`;
    return after.policyIds.length > 0
      ? `allowed by ${named(after.policyIds)}`
      : 'allowed as a change of the user’s own credentials';
  }
  if (after.outcome === 'DENY') {
    if (after.by === 'HIDDEN_CONTENT') return 'it hides what is signed, and a rule on transactions now covers its key';
    if (after.by === 'POLICY') return `denied by ${named(after.policyIds)}`;
    if (before.outcome === 'ALLOW' && before.policyIds.length > 0) return `no longer allowed by ${named(before.policyIds)}`;
    return 'no policy allows it any longer';
  }
  if (after.policyIds.length > 0) return `denied by ${named(after.policyIds)} unless the root quorum approves`;
  const asking = after.waiting.flatMap((waiting) => (waiting.by === 'POLICY' ? [waiting.policyId] : []));
  if (asking.length > 0) return `needs approvals that ${named([...new Set(asking)])} requires`;
  return 'no policy allows it any longer; it is pending until the root quorum approves';
}

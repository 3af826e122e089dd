import { authorizeByPolicy } from '../authorize-by-policy.ts';
import type { Judgement } from '../judgement.ts';
import type { DecisionRecord } from '../votes.ts';

type Shown = Pick<DecisionRecord, 'outcome' | 'by' | 'policyIds' | 'mayApprove' | 'evaluations'>;

/** What a decision comes to, as a text that two of them can be compared by. Policies have no order. */
export function outcomeText({ outcome, by, policyIds, mayApprove: users }: Omit<Shown, 'evaluations'>): string {
  return JSON.stringify([outcome, by ?? null, [...policyIds].sort(), users ?? null]);
}

/** Whether a kept decision is what the judgement comes to now, in all that it says. */
export function sameDecision(judgement: Judgement, kept: Shown, again: Shown): boolean {
  return outcomeText(kept) === outcomeText(again) && asksTheSame(judgement, kept, again);
}

/**
 * Whether every policy that is asked now was asked then and gave the same, and every other that was asked then gives what it gave.
 * Earlier releases asked more policies than could matter.
 */
function asksTheSame(judgement: Judgement, kept: Shown, again: Shown): boolean {
  const then = new Map(kept.evaluations.map(({ policyId, outcome }) => [policyId, outcome]));
  if (then.size !== kept.evaluations.length) return false;
  if (again.evaluations.some(({ policyId, outcome }) => then.get(policyId) !== outcome)) return false;
  const now = new Set(again.evaluations.map(({ policyId }) => policyId));
  const others = [...then.keys()].filter((id) => !now.has(id));
  if (others.length === 0) return true;
  const explained = authorizeByPolicy.explain(judgement, others).policies;
  const outcomes = new Map(explained.map(({ policyId, outcome }) => [policyId, outcome]));
  return others.every((id) => outcomes.get(id) === then.get(id));
}

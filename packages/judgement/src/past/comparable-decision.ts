import { outcomesOf } from '../authorize-by-policy.ts';
import type { Judgement } from '../judgement.ts';
import type { DecisionRecord } from '../votes.ts';

type Shown = Pick<
  DecisionRecord,
  'outcome' | 'by' | 'policyIds' | 'policyCount' | 'mayApprove' | 'evaluations' | 'evaluatedCount'
>;

/** A decision as a text, for comparing two decisions. The order of policies does not matter. */
export function outcomeText({ outcome, by, policyIds, policyCount, mayApprove: users }: Omit<Shown, 'evaluations'>): string {
  return JSON.stringify([outcome, by ?? null, [...policyIds].sort(), policyCount ?? null, users ?? null]);
}

/** Whether a stored decision equals the decision that is made now. */
export function sameDecision(judgement: Judgement, kept: Shown, again: Shown): boolean {
  return outcomeText(kept) === outcomeText(again) && asksTheSame(judgement, kept, again);
}

/**
 * Whether every policy that is evaluated now had the same outcome then, and every other policy that was evaluated then has the same outcome
 * now.
 * Earlier releases evaluated more policies than necessary. A decision that does not list all of its policies is compared by those that it
 * lists.
 */
function asksTheSame(judgement: Judgement, kept: Shown, again: Shown): boolean {
  const then = new Map(kept.evaluations.map(({ policyId, outcome }) => [policyId, outcome]));
  if (then.size !== kept.evaluations.length) return false;
  const isPartial = kept.evaluatedCount !== undefined;
  if (!isPartial && again.evaluations.some(({ policyId, outcome }) => then.get(policyId) !== outcome)) return false;
  const now = new Map(again.evaluations.map(({ policyId, outcome }) => [policyId, outcome]));
  if (kept.evaluations.some(({ policyId, outcome }) => now.has(policyId) && now.get(policyId) !== outcome)) return false;
  const others = [...then.keys()].filter((id) => !now.has(id));
  if (others.length === 0) return true;
  const outcomes = outcomesOf(judgement, others);
  return others.every((id) => outcomes.get(id) === then.get(id));
}

import type { DecisionRecord } from '../votes.ts';

type Shown = Pick<DecisionRecord, 'outcome' | 'by' | 'policyIds' | 'mayApprove' | 'evaluations'>;

/** A decision in a form that two of them can be compared by. Policies have no order. */
export function comparableDecision({ outcome, by, policyIds, mayApprove: users, evaluations }: Shown) {
  const byId = (a: { readonly policyId: string }, b: { readonly policyId: string }) => (a.policyId < b.policyId ? -1 : 1);
  return { outcome, by, policyIds: [...policyIds].sort(), users, evaluations: [...evaluations].sort(byId) };
}

/** Whether two decisions are the same in all that a kept decision says. */
export function sameDecision(a: Shown, b: Shown): boolean {
  return textOf(a) === textOf(b);
}

/** What is stored of an evaluation is its policy and its outcome. */
function textOf(shown: Shown): string {
  const { outcome, by, policyIds, users, evaluations } = comparableDecision(shown);
  const asked = evaluations.map(({ policyId, outcome: said }) => [policyId, said]);
  return JSON.stringify([outcome, by ?? null, policyIds, users ?? null, asked]);
}

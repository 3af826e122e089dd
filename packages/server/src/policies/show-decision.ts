import type { ExplainedDecisionShape } from '@countersign/contract';
import { type Decision, renderExplanation } from '@countersign/policy';
import type { DecisionRecord } from '../organizations/activity-record.ts';

/** The part of a decision that is always kept. */
export function showDecision(
  decision: Decision,
): Pick<DecisionRecord, 'outcome' | 'by' | 'policyIds' | 'mayApprove' | 'evaluations'> {
  const evaluations = decision.evaluations.map(({ policyId, outcome }) => ({ policyId, outcome }));
  const { outcome, policyIds } = decision;
  if (decision.outcome === 'NEEDS_CONSENSUS') return { outcome, policyIds, mayApprove: decision.mayApprove, evaluations };
  return { outcome, by: decision.by, policyIds, evaluations };
}

/** A kept decision as queries show it, with its explanation as data and as text. */
export function showExplained(
  record: Pick<DecisionRecord, 'outcome' | 'by' | 'policyIds' | 'mayApprove' | 'evaluations' | 'explanation'>,
): ExplainedDecisionShape {
  const { outcome, by, policyIds, mayApprove, evaluations, explanation } = record;
  const plain = by === undefined ? outcome : `${outcome} (by ${by.toLowerCase().replaceAll('_', ' ')})`;
  return {
    outcome,
    ...(by !== undefined && { by }),
    policyIds: [...policyIds],
    evaluations: [...evaluations],
    ...(mayApprove && { mayApprove: [...mayApprove] }),
    ...(explanation && { explanation: { ...explanation } }),
    text: explanation === undefined ? plain : renderExplanation(explanation),
  };
}

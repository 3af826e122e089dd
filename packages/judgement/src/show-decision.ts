import type { ExplainedDecisionShape } from '@countersign/contract';
import { type Decision, type PolicyReads, renderExplanation } from '@countersign/policy';
import type { DecisionRecord } from './votes.ts';

/** The part of a decision that its activity always stores. */
export function showDecision(
  decision: Decision,
): Pick<DecisionRecord, 'outcome' | 'by' | 'policyIds' | 'mayApprove' | 'evaluations'> {
  const evaluations = decision.evaluations.map(({ policyId, outcome }) => ({ policyId, outcome }));
  const { outcome, policyIds } = decision;
  if (decision.outcome === 'NEEDS_CONSENSUS') return { outcome, policyIds, mayApprove: decision.mayApprove, evaluations };
  return { outcome, by: decision.by, policyIds, evaluations };
}

type Explainable = Pick<DecisionRecord, 'outcome' | 'by' | 'policyIds' | 'mayApprove' | 'evaluations' | 'values' | 'explanation'>;

/** A decision as queries return it, with its explanation as data and as text. Without one, the text lists the stored values. */
export function showExplained(record: Explainable, explanation = record.explanation): ExplainedDecisionShape {
  const { outcome, by, policyIds, mayApprove, evaluations, values = [] } = record;
  return {
    outcome,
    ...(by !== undefined && { by }),
    policyIds: [...policyIds],
    evaluations: evaluations.map(({ policyId, outcome: its }) => ({ policyId, outcome: its })),
    ...(mayApprove && { mayApprove: [...mayApprove] }),
    ...(explanation && { explanation: { ...explanation } }),
    text: explanation === undefined ? plainText(outcome, by, values) : renderExplanation(explanation),
  };
}

function plainText(outcome: string, by: string | undefined, values: readonly PolicyReads[]): string {
  const title = by === undefined ? outcome : `${outcome} (by ${by.toLowerCase().replaceAll('_', ' ')})`;
  const lines = values.flatMap(({ policyId, reads }) => [
    `policy ${policyId} read:`,
    ...reads.map(([path, value]) => `  ${path} → ${value}`),
  ]);
  // SECURITY: users choose some of the values. Their control characters must not reach a terminal.
  return [title, ...lines].map((line) => line.replace(/[\p{Cc}\p{Cf}]/gu, ' ')).join('\n');
}

/**
 * Whether users of an organization may see how an activity was authorized.
 * SECURITY: a decision quotes policies, ids and addresses of the organization that made it. If the parent organization acts in a
 * sub-organization, users of the sub-organization see only the outcome.
 */
export function seesDecisions({ judgedBy }: { readonly judgedBy?: string }, callersOrganizationId: string): boolean {
  return judgedBy === undefined || judgedBy === callersOrganizationId;
}

/** A stored decision for users who may not see how it was made. */
export function showOutcome({ outcome }: Pick<DecisionRecord, 'outcome'>): ExplainedDecisionShape {
  return {
    outcome,
    policyIds: [],
    evaluations: [],
    text: `${outcome}: the parent organization judged this, and shows how to its own users`,
  };
}

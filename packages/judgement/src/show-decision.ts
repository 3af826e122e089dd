import type { ExplainedDecisionShape } from '@countersign/contract';
import { type Decision, type PolicyReads, renderExplanation } from '@countersign/policy';
import type { Judgement } from './judgement.ts';
import { rulesOf } from './rules.ts';
import type { DecisionRecord } from './votes.ts';

/** The part of a decision that its activity always stores. */
type StoredDecision = Pick<
  DecisionRecord,
  'outcome' | 'by' | 'policyIds' | 'policyCount' | 'mayApprove' | 'evaluations' | 'evaluatedCount'
>;

/**
 * The part of a decision that its activity always stores.
 * SECURITY: D350: policies are listed up to a number, so that the size does not grow with the policies of the organization.
 */
export function showDecision(decision: Decision, judgement: Pick<Judgement, 'rules'>): StoredDecision {
  const { maxListedPolicies: max } = rulesOf(judgement);
  const evaluations = mostRelevant(decision, max).map(({ policyId, outcome }) => ({ policyId, outcome }));
  const { outcome } = decision;
  const policyIds = decision.policyIds.slice(0, max);
  const policyCount = decision.policyIds.length > max ? { policyCount: decision.policyIds.length } : undefined;
  const evaluatedCount = decision.evaluations.length > max ? { evaluatedCount: decision.evaluations.length } : undefined;
  if (decision.outcome === 'NEEDS_CONSENSUS')
    return { outcome, policyIds, ...policyCount, mayApprove: decision.mayApprove, evaluations, ...evaluatedCount };
  return { outcome, by: decision.by, policyIds, ...policyCount, evaluations, ...evaluatedCount };
}

/** The evaluations to list, in their order. If there are too many, those that could determine the outcome come first. */
function mostRelevant({ evaluations }: Decision, max: number): Decision['evaluations'] {
  if (evaluations.length <= max) return evaluations;
  const isIrrelevant = ({ outcome, denies }: Decision['evaluations'][number]) =>
    !denies && outcome !== 'OUTCOME_ALLOW' && outcome !== 'OUTCOME_REQUIRES_CONSENSUS';
  const listed = new Set(
    [...evaluations.filter((each) => !isIrrelevant(each)), ...evaluations.filter(isIrrelevant)].slice(0, max),
  );
  return evaluations.filter((each) => listed.has(each));
}

type Explainable = StoredDecision & Pick<DecisionRecord, 'values' | 'explanation'>;

/** A decision as queries return it, with its explanation as data and as text. Without one, the text lists the stored values. */
export function showExplained(record: Explainable, explanation = record.explanation): ExplainedDecisionShape {
  const { outcome, by, policyIds, policyCount, mayApprove, evaluations, evaluatedCount, values = [] } = record;
  return {
    outcome,
    ...(by !== undefined && { by }),
    policyIds: [...policyIds],
    ...(policyCount !== undefined && { policyCount }),
    evaluations: evaluations.map(({ policyId, outcome: its }) => ({ policyId, outcome: its })),
    ...(evaluatedCount !== undefined && { evaluatedCount }),
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

/** A stored decision for users who may not see how it was made. `why` is a sentence without its final period. */
export function showOutcome(
  { outcome }: Pick<DecisionRecord, 'outcome'>,
  why = 'the parent organization judged this, and shows how to its own users',
): ExplainedDecisionShape {
  return { outcome, policyIds: [], evaluations: [], text: `${outcome}: ${why}` };
}

import type { Span } from '../syntax/span.ts';
import type { PolicyValue } from '../value.ts';
import { EvaluationError } from './evaluation-error.ts';
import type { StepBudget } from './step-budget.ts';

/** The values of the namespaces that a request has, by dotted path. */
export interface NamespaceValues {
  get(path: string): PolicyValue | undefined;
  has(path: string): boolean;
  /** A note about the value of a namespace, or about why it has none. */
  note?(path: string): string | undefined;
  /** Why a control has no value together with these controls, as a sentence. Undefined if it has one. */
  uncovered?(path: string, beside: readonly string[]): string | undefined;
}

/** The state of one evaluation. */
export interface Evaluation {
  readonly values: NamespaceValues;
  /** The variables of the enclosing predicates, by slot. */
  readonly variables: PolicyValue[];
  steps: number;
  readonly maxSteps: number;
  /** The budget of the whole decision, in addition to the limit of this evaluation. */
  readonly budget?: StepBudget | undefined;
}

/**
 * Spends steps. Returns an error if too few are left.
 * SECURITY: every loop over an input spends its steps before it runs, so that no policy and no request can make a decision slow.
 */
export function spend(evaluation: Evaluation, steps: number, span: Span): EvaluationError | undefined {
  evaluation.steps += steps;
  if (evaluation.budget?.spend(steps) === false) return decisionLimitExceeded(evaluation.budget, span);
  if (evaluation.steps <= evaluation.maxSteps) return undefined;
  return new EvaluationError('LIMIT_EXCEEDED', span, `the evaluation takes more than ${evaluation.maxSteps} steps`);
}

/** The error of an evaluation for which the decision has no steps left. */
export function decisionLimitExceeded({ limit }: StepBudget, span: Span): EvaluationError {
  return new EvaluationError('LIMIT_EXCEEDED', span, `the policies of this decision take more than ${limit} steps together`);
}

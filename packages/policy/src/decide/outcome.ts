import type { NamespaceValues } from '../evaluate/evaluation.ts';
import { EvaluationError } from '../evaluate/evaluation-error.ts';
import type { StepBudget } from '../evaluate/step-budget.ts';
import { evaluateExpression } from '../expression.ts';
import type { CompiledPolicy } from '../policy.ts';
import { timeNow } from '../schema/engine.ts';
import type { PolicyField } from '../value.ts';
import type { RequestViews } from './read-request.ts';

/** The outcome of one policy, by its name on the wire. */
export type PolicyOutcome =
  | 'OUTCOME_ALLOW'
  | 'OUTCOME_DENY_EXPLICIT'
  | 'OUTCOME_DENY_IMPLICIT'
  | 'OUTCOME_REQUIRES_CONSENSUS'
  | 'OUTCOME_ERROR'
  | 'OUTCOME_TIME_INACTIVE';

/** One policy in a decision. */
export interface PolicyEvaluation {
  readonly policyId: string;
  readonly outcome: PolicyOutcome;
  /** With OUTCOME_ERROR: what went wrong, and in which expression. */
  readonly error?: {
    readonly field: PolicyField;
    readonly code: EvaluationError['code'];
    readonly span: EvaluationError['span'];
    readonly message: string;
  };
  /** The policy is a DENY and stops the request, because it applies or because it could not be evaluated. */
  readonly denies: boolean;
}

/**
 * Evaluates one policy. It applies if time, condition and consensus are all true. If one of them is false, the policy does not apply, even
 * if another is in error.
 * SECURITY: a DENY in error denies, unless it applies to another kind of request. After the budget of a decision is exhausted, the result
 * is meaningless.
 */
export function evaluatePolicy(policy: CompiledPolicy, values: NamespaceValues, budget?: StepBudget): PolicyEvaluation {
  const deny = policy.effect === 'EFFECT_DENY';
  const time = fieldValue(policy, 'time', values, budget);
  if (time === false) return { policyId: policy.id, outcome: 'OUTCOME_TIME_INACTIVE', denies: false };
  const condition = fieldValue(policy, 'condition', values, budget);
  if (condition === false) return { policyId: policy.id, outcome: 'OUTCOME_DENY_IMPLICIT', denies: false };
  const consensus = fieldValue(policy, 'consensus', values, budget);
  if (condition !== true || time !== true || consensus instanceof EvaluationError)
    return erroneous(policy, { condition, consensus, time });
  if (consensus) return { policyId: policy.id, outcome: deny ? 'OUTCOME_DENY_EXPLICIT' : 'OUTCOME_ALLOW', denies: deny };
  return { policyId: policy.id, outcome: deny ? 'OUTCOME_DENY_IMPLICIT' : 'OUTCOME_REQUIRES_CONSENSUS', denies: false };
}

/** Evaluates one policy on a request. Returns the values that determined the outcome too. */
export function evaluateViews(
  policy: CompiledPolicy,
  { allow, deny }: RequestViews,
  budget?: StepBudget,
): { readonly evaluation: PolicyEvaluation; readonly values: NamespaceValues } {
  if (policy.effect !== 'EFFECT_DENY') return { evaluation: evaluatePolicy(policy, allow, budget), values: allow };
  const [values = allow, ...others] = deny;
  const first = { evaluation: evaluatePolicy(policy, values, budget), values };
  if (first.evaluation.denies) return first;
  for (const view of others) {
    const evaluation = evaluatePolicy(policy, view, budget);
    if (evaluation.denies) return { evaluation, values: view };
  }
  return first;
}

/** The values that determine the outcome of a policy on a request. */
export function decidingView(policy: CompiledPolicy, views: RequestViews, budget?: StepBudget): NamespaceValues {
  if (policy.effect !== 'EFFECT_DENY') return views.allow;
  const [only, ...others] = views.deny;
  return only !== undefined && others.length === 0 ? only : evaluateViews(policy, views, budget).values;
}

/** Whether a policy is in force at a time, or why its time cannot be evaluated. */
export function timeStatus(policy: CompiledPolicy, nowMs: number): { readonly active: boolean; readonly error?: string } {
  const active = fieldValue(policy, 'time', new Map([[timeNow.path, BigInt(Math.floor(nowMs))]]));
  return active instanceof EvaluationError ? { active: false, error: active.message } : { active };
}

/** The outcome of a policy with an expression that has no value. */
function erroneous(policy: CompiledPolicy, results: Readonly<Record<PolicyField, boolean | EvaluationError>>): PolicyEvaluation {
  const errors = Object.entries(results).filter(
    (entry): entry is [PolicyField, EvaluationError] => entry[1] instanceof EvaluationError,
  );
  const stepsAside = results.consensus === false || errors.some(([, error]) => error.notApplicable);
  const [field, { code, span, message }] = errors[0] as [PolicyField, EvaluationError];
  const denies = policy.effect === 'EFFECT_DENY' && !stepsAside;
  return { policyId: policy.id, outcome: 'OUTCOME_ERROR', error: { field, code, span, message }, denies };
}

/** The value of one expression of a policy. An absent expression is true. An expression that does not compile is an error. */
function fieldValue(
  policy: CompiledPolicy,
  field: PolicyField,
  values: NamespaceValues,
  budget?: StepBudget,
): boolean | EvaluationError {
  const expression = policy[field];
  if (expression !== undefined) return evaluateExpression(expression, values, undefined, budget);
  const diagnostic = policy.invalid.find((each) => each.field === field);
  return diagnostic === undefined ? true : new EvaluationError('INVALID_POLICY', diagnostic.span, diagnostic.message);
}

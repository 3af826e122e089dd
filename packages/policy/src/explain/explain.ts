import { conclude, type Decision, decide } from '../decide/decide.ts';
import { evaluatePolicy, type PolicyEvaluation } from '../decide/outcome.ts';
import type { PolicySet } from '../decide/policy-set.ts';
import { liveApproval, requestValues } from '../decide/request-values.ts';
import { rootQuorumState } from '../decide/root-quorum.ts';
import type { NamespaceValues } from '../evaluate/evaluation.ts';
import { Fault, type FaultCode } from '../evaluate/fault.ts';
import type { CompiledPolicy, Effect } from '../policy.ts';
import type { DecisionRequest } from '../request.ts';
import type { Span } from '../syntax/span.ts';
import type { PolicyField } from '../value.ts';
import { decisionChanges } from './changes.ts';
import { reasonsAgainst, sourceOf } from './reasons.ts';
import { showValue } from './show-value.ts';
import { type TracePart, traceExpression } from './trace.ts';

/** One part of an expression and its value. Plain data that JSON can hold. */
export interface ExplainedPart {
  readonly text: string;
  readonly span: Span;
  /** The value in the notation of the language; absent when there is an error. */
  readonly value?: string;
  readonly error?: { readonly code: FaultCode; readonly message: string };
  /** With an error: the part should have been true or false. */
  readonly condition?: true;
  /** For a predicate: the element it ran on. */
  readonly element?: string;
  readonly parts: readonly ExplainedPart[];
}

/** One policy in an explanation. */
export interface ExplainedPolicy extends PolicyEvaluation {
  readonly effect: Effect;
  readonly expressions: Readonly<Partial<Record<PolicyField, ExplainedPart>>>;
  /** Why the policy does not apply; empty when it does. */
  readonly reasons: readonly string[];
}

/** A decision with everything that led to it. Plain data that JSON can hold. */
export interface Explanation {
  readonly decision: Decision;
  readonly rootQuorum: { readonly met: boolean; readonly approved: number; readonly threshold: number };
  readonly approvers: readonly string[];
  /** Every policy that was consulted. The most relevant ones come with their expressions, up to a limit. */
  readonly policies: readonly ExplainedPolicy[];
  /** What would have changed the outcome: one sentence each, the smallest change first. */
  readonly changes: readonly string[];
}

/** How many policies are explained down to their parts. */
const MAX_TRACED = 100;

/** Decides again, asks every policy, and keeps the value of every part. The outcome is that of `decide`. */
export function explain(set: PolicySet, request: DecisionRequest): Explanation {
  const approval = liveApproval(request);
  const root = rootQuorumState(request, approval);
  const approvers = approval.users.map(({ id }) => id);
  const rootQuorum = { met: root.met, approved: root.approved, threshold: root.threshold };
  if (root.met || request.rootQuorumOnly === true) {
    const decision = decide(set, request);
    return { decision, rootQuorum, approvers, policies: [], changes: decisionChanges(decision, []) };
  }
  const values = requestValues(request, approval);
  const evaluations = set.policies.map((policy) => evaluatePolicy(policy, values));
  const decision = conclude(set, request, approval, root, values, set.policies, evaluations);
  const traced = new Set([...set.candidates(values), ...set.policies].slice(0, MAX_TRACED).map(({ id }) => id));
  const policies = set.policies.map((policy, index) => {
    const evaluation = evaluations[index] as PolicyEvaluation;
    const detail = traced.has(policy.id) ? explainPolicy(policy, values) : { expressions: {}, reasons: [] };
    return { ...evaluation, effect: policy.effect, ...detail };
  });
  return { decision, rootQuorum, approvers, policies, changes: decisionChanges(decision, policies) };
}

function explainPolicy(policy: CompiledPolicy, values: NamespaceValues): Pick<ExplainedPolicy, 'expressions' | 'reasons'> {
  const expressions: Partial<Record<PolicyField, ExplainedPart>> = {};
  const reasons: string[] = [];
  for (const field of ['time', 'condition', 'consensus'] as const) {
    const expression = policy[field];
    if (expression === undefined) continue;
    const { result, trace } = traceExpression(expression, values);
    expressions[field] = { ...explainPart({ trace }, expression.text), ...outcomeOf(result) };
    if (result instanceof Fault && result.notApplicable) reasons.push(result.message);
    else if (result !== true) reasons.push(...reasonsAgainst(trace, expression.text));
  }
  reasons.push(...policy.invalid.map(({ field, message }) => `its ${field} is not valid: ${message}`));
  return { expressions, reasons };
}

function explainPart({ trace, element }: TracePart, text: string): ExplainedPart {
  const { value, node, parts } = trace;
  const failed = value instanceof Fault && node.type.kind === 'bool';
  const given = value === undefined ? {} : value instanceof Fault ? outcomeOf(value) : { value: showValue(value, node.type) };
  return {
    text: sourceOf(trace, text),
    span: node.span,
    ...given,
    ...(failed && { condition: true as const }),
    ...(element === undefined ? {} : { element: showValue(element.value) }),
    parts: parts.map((part) => explainPart(part, text)),
  };
}

function outcomeOf(result: boolean | Fault): Pick<ExplainedPart, 'value' | 'error'> {
  return result instanceof Fault ? { error: { code: result.code, message: result.message } } : { value: String(result) };
}

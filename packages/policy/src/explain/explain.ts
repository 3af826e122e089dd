import { conclude, decide } from '../decide/decide.ts';
import { evaluatePolicy, type PolicyEvaluation } from '../decide/outcome.ts';
import type { PolicySet } from '../decide/policy-set.ts';
import { readRequest } from '../decide/read-request.ts';
import type { NamespaceValues } from '../evaluate/evaluation.ts';
import { EvaluationError } from '../evaluate/evaluation-error.ts';
import type { CompiledExpression } from '../expression.ts';
import type { CompiledPolicy } from '../policy.ts';
import type { DecisionRequest } from '../request.ts';
import { decisionChanges } from './changes.ts';
import type { ExplainedPart, ExplainedPolicy, Explanation } from './explanation.ts';
import { explainExpression } from './parts.ts';
import { reasonsAgainst } from './reasons.ts';
import { traceExpression } from './trace.ts';

/** The most policies that are explained in detail. */
const MAX_TRACED = 100;

/** Decides again, evaluates every policy, and records the value of every part. The outcome equals that of `decide`. */
export function explain(set: PolicySet, request: DecisionRequest): Explanation {
  const read = readRequest(request);
  const { approval, root } = read;
  const approvers = approval.users.map(({ id }) => id);
  const rootQuorum = { met: root.met, approved: root.approved, threshold: root.threshold };
  if (root.met || request.rootQuorumOnly === true) {
    const decision = decide(set, request);
    return { decision, rootQuorum, approvers, policies: [], changes: decisionChanges(decision, []) };
  }
  const { values } = read;
  const evaluations = set.policies.map((policy) => evaluatePolicy(policy, values));
  const decision = conclude(set, request, approval, root, values, set.policies, evaluations);
  const isTraced = tracedIn(set, values);
  const policies = set.policies.map((policy, index) => {
    const { policyId, outcome, denies, error } = evaluations[index] as PolicyEvaluation;
    const { effect } = policy;
    const { expressions, reasons } = isTraced(policy.id) ? explainPolicy(policy, values) : { expressions: {}, reasons: [] };
    // No object spread: it is slow, and this runs for each signature that a policy allows.
    if (error === undefined) return { policyId, outcome, denies, effect, expressions, reasons };
    return { policyId, outcome, error, denies, effect, expressions, reasons };
  });
  return { decision, rootQuorum, approvers, policies, changes: decisionChanges(decision, policies) };
}

/** The policies that are explained in detail. If there are too many, the candidates come first. */
function tracedIn(set: PolicySet, values: NamespaceValues): (id: string) => boolean {
  if (set.policies.length <= MAX_TRACED) return () => true;
  const traced = new Set([...set.candidates(values), ...set.policies].slice(0, MAX_TRACED).map(({ id }) => id));
  return (id) => traced.has(id);
}

function explainPolicy(policy: CompiledPolicy, values: NamespaceValues): Pick<ExplainedPolicy, 'expressions' | 'reasons'> {
  const reasons: string[] = [];
  const explained = (expression: CompiledExpression): ExplainedPart => {
    const traced = traceExpression(expression, values);
    const { result, trace } = traced;
    if (result instanceof EvaluationError && result.notApplicable) reasons.push(result.message);
    else if (result !== true) reasons.push(...reasonsAgainst(trace, expression.text, values));
    return explainExpression(expression.text, traced, values);
  };
  const { time, condition, consensus } = policy;
  const expressions: { -readonly [K in keyof ExplainedPolicy['expressions']]: ExplainedPart } = {};
  if (time !== undefined) expressions.time = explained(time);
  if (condition !== undefined) expressions.condition = explained(condition);
  if (consensus !== undefined) expressions.consensus = explained(consensus);
  for (const { field, message } of policy.invalid) reasons.push(`its ${field} is not valid: ${message}`);
  return { expressions, reasons };
}

import { conclude, decide } from '../decide/decide.ts';
import { evaluatePolicy, type PolicyEvaluation } from '../decide/outcome.ts';
import type { PolicySet } from '../decide/policy-set.ts';
import { liveApproval, requestValues } from '../decide/request-values.ts';
import { rootQuorumState } from '../decide/root-quorum.ts';
import type { NamespaceValues } from '../evaluate/evaluation.ts';
import { Fault } from '../evaluate/fault.ts';
import type { CompiledPolicy } from '../policy.ts';
import type { DecisionRequest } from '../request.ts';
import type { PolicyField } from '../value.ts';
import { decisionChanges } from './changes.ts';
import type { ExplainedPart, ExplainedPolicy, Explanation } from './explanation.ts';
import { noteOf, reasonsAgainst, sourceOf } from './reasons.ts';
import { showValue } from './show-value.ts';
import { type TracePart, traceExpression } from './trace.ts';

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
  const isTraced = tracedIn(set, values);
  const policies = set.policies.map((policy, index) => {
    const { policyId, outcome, denies, error } = evaluations[index] as PolicyEvaluation;
    const { effect } = policy;
    const { expressions, reasons } = isTraced(policy.id) ? explainPolicy(policy, values) : { expressions: {}, reasons: [] };
    // Written out, because copies of objects are slow, and this is part of every signature that a policy allows.
    if (error === undefined) return { policyId, outcome, denies, effect, expressions, reasons };
    return { policyId, outcome, error, denies, effect, expressions, reasons };
  });
  return { decision, rootQuorum, approvers, policies, changes: decisionChanges(decision, policies) };
}

/** Which policies are explained down to their parts: of very many, those that were asked come first. */
function tracedIn(set: PolicySet, values: NamespaceValues): (id: string) => boolean {
  if (set.policies.length <= MAX_TRACED) return () => true;
  const traced = new Set([...set.candidates(values), ...set.policies].slice(0, MAX_TRACED).map(({ id }) => id));
  return (id) => traced.has(id);
}

function explainPolicy(policy: CompiledPolicy, values: NamespaceValues): Pick<ExplainedPolicy, 'expressions' | 'reasons'> {
  const expressions: Partial<Record<PolicyField, ExplainedPart>> = {};
  const reasons: string[] = [];
  for (const field of ['time', 'condition', 'consensus'] as const) {
    const expression = policy[field];
    if (expression === undefined) continue;
    const { result, trace } = traceExpression(expression, values);
    expressions[field] = Object.assign(explainPart({ trace }, expression.text, values), outcomeOf(result));
    if (result instanceof Fault && result.notApplicable) reasons.push(result.message);
    else if (result !== true) reasons.push(...reasonsAgainst(trace, expression.text, values));
  }
  reasons.push(...policy.invalid.map(({ field, message }) => `its ${field} is not valid: ${message}`));
  return { expressions, reasons };
}

function explainPart({ trace, element, unasked }: TracePart, text: string, values: NamespaceValues): ExplainedPart {
  const { value, node, parts } = trace;
  const explained: Unfinished = { text: sourceOf(trace, text), span: node.span };
  if (value instanceof Fault) {
    Object.assign(explained, outcomeOf(value));
    if (node.type.kind === 'bool') explained.condition = true;
  } else if (value !== undefined) explained.value = showValue(value, node.type);
  const note = node.kind === 'read' ? noteOf(trace, values) : undefined;
  if (note !== undefined) explained.note = note;
  if (element !== undefined) explained.element = showValue(element.value);
  if (unasked) explained.unasked = unasked;
  return Object.assign(explained, { parts: parts.map((part) => explainPart(part, text, values)) });
}

type WithoutParts = Omit<ExplainedPart, 'parts'>;
type Unfinished = { -readonly [K in keyof WithoutParts]: WithoutParts[K] };

function outcomeOf(result: boolean | Fault): Pick<ExplainedPart, 'value' | 'error'> {
  return result instanceof Fault ? { error: { code: result.code, message: result.message } } : { value: String(result) };
}

import { finished, type Steps } from '@countersign/collections';
import { type Decision, decideInSteps } from '../decide/decide.ts';
import { decidingView, evaluateViews } from '../decide/outcome.ts';
import type { PolicySet } from '../decide/policy-set.ts';
import { type RequestViews, readRequest } from '../decide/read-request.ts';
import type { NamespaceValues } from '../evaluate/evaluation.ts';
import { EvaluationError } from '../evaluate/evaluation-error.ts';
import { StepBudget } from '../evaluate/step-budget.ts';
import type { CompiledExpression } from '../expression.ts';
import { type DecisionLimits, decisionLimits } from '../limits.ts';
import type { CompiledPolicy } from '../policy.ts';
import type { DecisionRequest } from '../request.ts';
import { decisionChanges } from './changes.ts';
import type { ExplainedPart, ExplainedPolicy, Explanation } from './explanation.ts';
import { explainExpression } from './parts.ts';
import { reasonsAgainst } from './reasons.ts';
import { isShortened, shortenDecision } from './shorten.ts';
import { TraceRoom, traceExpression } from './trace.ts';

/** The most policies that are explained in detail. */
const MAX_TRACED = 100;

/** Decides again, evaluates every policy, and records the value of every part. The outcome equals that of `decide`. */
export function explain(set: PolicySet, request: DecisionRequest, limits?: DecisionLimits): Explanation {
  return finished(explainInSteps(set, request, limits));
}

/**
 * The same in steps.
 * SECURITY: D351: the parts of all policies together are bounded, and so are the steps. An explanation that omits something is marked as
 * shortened.
 */
export function* explainInSteps(set: PolicySet, request: DecisionRequest, limits?: DecisionLimits): Steps<Explanation> {
  const read = readRequest(request);
  const { approval, root } = read;
  const approvers = approval.users.map(({ id }) => id);
  const rootQuorum = { met: root.met, approved: root.approved, threshold: root.threshold };
  const decision = yield* decideInSteps(set, request, limits);
  if (root.met || request.rootQuorumOnly === true)
    return { decision: shortenDecision(decision), rootQuorum, approvers, policies: [], changes: decisionChanges(decision, []) };
  const { views } = read;
  const room = new TraceRoom();
  const traces = yield* traceInSteps(mostRelevant(set, decision, views.allow), views, room);
  const budget = new StepBudget(decisionLimits.steps);
  const policies: ExplainedPolicy[] = [];
  for (const policy of set.policies) {
    const { policyId, outcome, denies, error } = evaluateViews(policy, views, budget).evaluation;
    if (budget.isExhausted) break;
    const { effect } = policy;
    const { expressions, reasons } = traces.get(policy) ?? { expressions: {}, reasons: [] };
    if (error === undefined) policies.push({ policyId, outcome, denies, effect, expressions, reasons });
    else policies.push({ policyId, outcome, error, denies, effect, expressions, reasons });
    if (budget.isSliceOver) yield undefined;
  }
  const changes = decisionChanges(decision, policies);
  // The evaluations of all policies, not only of those that the decision needed.
  const evaluations = policies.map(({ policyId, outcome, denies, error }) =>
    error === undefined ? { policyId, outcome, denies } : { policyId, outcome, error, denies },
  );
  const shown = shortenDecision({ ...decision, evaluations });
  const isPartial =
    room.isShortened ||
    budget.isExhausted ||
    shown.evaluations !== evaluations ||
    isShortened(decision) ||
    traces.size < set.policies.length;
  return { decision: shown, rootQuorum, approvers, policies, changes, ...(isPartial && { shortened: true as const }) };
}

/** The policies to explain in detail: those that determined the decision, then the candidates, then others. */
function mostRelevant(set: PolicySet, decision: Decision, values: NamespaceValues): readonly CompiledPolicy[] {
  const waiting = decision.outcome === 'NEEDS_CONSENSUS' ? decision.waiting : [];
  const deciding = new Set([...decision.policyIds, ...waiting.flatMap((each) => (each.by === 'POLICY' ? each.policyId : []))]);
  const first = set.policies.filter(({ id }) => deciding.has(id));
  const all = new Set(set.policies);
  const candidates = set.policies.length <= MAX_TRACED ? [] : set.candidates(values).filter((policy) => all.has(policy));
  return [...new Set([...first, ...candidates, ...set.policies])].slice(0, MAX_TRACED);
}

type Explained = Pick<ExplainedPolicy, 'expressions' | 'reasons'>;

function* traceInSteps(
  policies: readonly CompiledPolicy[],
  views: RequestViews,
  room: TraceRoom,
): Steps<ReadonlyMap<CompiledPolicy, Explained>> {
  const explained = new Map<CompiledPolicy, Explained>();
  const budget = new StepBudget(decisionLimits.steps);
  for (const policy of policies) {
    if (room.isFull) return explained;
    explained.set(policy, yield* explainPolicy(policy, decidingView(policy, views, budget), room));
  }
  return explained;
}

function* explainPolicy(policy: CompiledPolicy, values: NamespaceValues, room: TraceRoom): Steps<Explained> {
  const reasons: string[] = [];
  const explained = (expression: CompiledExpression): ExplainedPart => {
    const traced = traceExpression(expression, values, room);
    const { result, trace } = traced;
    if (result instanceof EvaluationError && result.notApplicable) reasons.push(result.message);
    else if (result !== true) reasons.push(...reasonsAgainst(trace, expression.text, values));
    return explainExpression(expression.text, traced, values);
  };
  const { time, condition, consensus } = policy;
  const expressions: { -readonly [K in keyof ExplainedPolicy['expressions']]: ExplainedPart } = {};
  if (time !== undefined) expressions.time = explained(time);
  if (room.isSliceOver) yield undefined;
  if (condition !== undefined) expressions.condition = explained(condition);
  if (room.isSliceOver) yield undefined;
  if (consensus !== undefined) expressions.consensus = explained(consensus);
  if (room.isSliceOver) yield undefined;
  for (const { field, message } of policy.invalid) reasons.push(`its ${field} is not valid: ${message}`);
  return { expressions, reasons };
}

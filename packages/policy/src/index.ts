export { type TagCall, tagCalls } from './builtins/tag-calls.ts';
export { type NamedTag, type ResolvedTags, resolveTags, tagProblem } from './builtins/tag-names.ts';
export type { NamedAsset, TokenUnit } from './builtins/units.ts';
export { type AddressForms, type CheckOptions, forStored } from './check/options.ts';
export { couldConcern, type KnownValues } from './decide/could-concern.ts';
export type { Decision, Denial } from './decide/decide.ts';
export { candidatePolicies, decide, decideInSteps, evaluatePolicies } from './decide/decide.ts';
export { couldApply, couldCount } from './decide/early-denial.ts';
export {
  comparesPath,
  evaluateWithOthers,
  type Names,
  namesIn,
  type Replace,
  readsPath,
  withOtherTexts,
} from './decide/names.ts';
export { type Attribute, openAttributes } from './decide/open-attributes.ts';
export { type PolicyOutcome, timeStatus } from './decide/outcome.ts';
export { compileInSteps, compilePolicies, emptyPolicySet, type GrowingPolicySet, type PolicySet } from './decide/policy-set.ts';
export { countsForReading, type QueryWords, READ } from './decide/reading.ts';
export { renderDiagnostic } from './diagnostic.ts';
export type { NamespaceValues } from './evaluate/evaluation.ts';
export type { EvaluationError } from './evaluate/evaluation-error.ts';
export { StepBudget } from './evaluate/step-budget.ts';
export { explain, explainInSteps } from './explain/explain.ts';
export type { ExplainedPart, Explanation } from './explain/explanation.ts';
export { type PolicyRead, type PolicyReads, readsOf } from './explain/reads.ts';
export { renderExplanation } from './explain/render.ts';
export { shortenDecision } from './explain/shorten.ts';
export {
  type CompiledExpression,
  compileExpression,
  evaluateExpression,
  type NamespaceUse,
} from './expression.ts';
export { language } from './language.ts';
export { type DecisionLimits, decisionLimits } from './limits.ts';
export { type ActivityExpressionUse, lintActivityExpression } from './lint/activity-expression.ts';
export { type PolicyReach, policyReach } from './lint/applicable.ts';
export { type LintOptions, lintCompiled, lintInSteps, lintPolicies } from './lint/lint.ts';
export { type Literals, literalsOf } from './lint/literals.ts';
export { type CompiledPolicy, checkPolicy, type PolicySource } from './policy.ts';
export { fieldsOf } from './prove/counter-example.ts';
export { type ProveSettings, prove, type Verdict } from './prove/prove.ts';
export type { Property } from './prove/question.ts';
export type { ProvenActivity } from './prove/symbolic-request.ts';
export type { ActivityWords, DecisionRequest, HostValue, PolicyCredential, PolicyUser } from './request.ts';
export { CONTROLS, type ControlName, controlOf } from './schema/controls.ts';
export type { ActivityParameter } from './schema/parameters.ts';
export { signings } from './schema/payments.ts';
export { transactionKinds } from './schema/transaction-kinds.ts';
export { policyToSelectorsV1 } from './selectors/from-policy.ts';
export { selectorsToPolicy } from './selectors/to-policy.ts';
export type { Expression } from './syntax/ast.ts';
export { formatExpression } from './syntax/format.ts';
export { stringLiterals } from './syntax/lexer.ts';
export { parseExpression } from './syntax/parser.ts';
export { findZone } from './time/zone.ts';
export { typeName } from './types.ts';
export { isList, isMap, isRecord, type PolicyValue } from './value.ts';
export { LANGUAGE, type LanguageVersion } from './version.ts';

export { type FunctionSpec, functions } from './check/functions.ts';
export type { LiteralOptions, Normalizer, Normalizers, Vocabularies } from './check/literals.ts';
export { type MethodSpec, methods } from './check/methods.ts';
export type { Decision, Waiting } from './decide/decide.ts';
export { decide } from './decide/decide.ts';
export { activeAt, type PolicyEvaluation, type PolicyOutcome } from './decide/outcome.ts';
export type { MissingApprovals } from './decide/pending.ts';
export { compilePolicies, type PolicySet } from './decide/policy-set.ts';
export type { DecisionRequest, PolicyActivity, PolicyCredential, PolicyUser } from './decide/request.ts';
export { type Diagnostic, type DiagnosticCode, diagnosticCodes, renderDiagnostic } from './diagnostic.ts';
export type { NamespaceValues } from './evaluate/environment.ts';
export { Fault, type FaultCode, faultCodes } from './evaluate/fault.ts';
export { type ExplainedPart, type ExplainedPolicy, type Explanation, explain } from './explain/explain.ts';
export { renderExplanation } from './explain/render.ts';
export {
  type CheckOptions,
  type CompiledExpression,
  compileExpression,
  evaluateExpression,
  type NamespaceUse,
} from './expression.ts';
export { defaultLimits, type PolicyLimits } from './limits.ts';
export { type LintOptions, lintPolicies } from './lint/lint.ts';
export type { LintOrganization } from './lint/lock-out.ts';
export { type PolicyWarning, type WarningCode, warningCodes } from './lint/warning.ts';
export {
  type CompiledPolicy,
  checkPolicy,
  type Effect,
  type PolicyDiagnostic,
  type PolicyExpressions,
  type PolicySource,
} from './policy.ts';
export type { Namespace } from './schema/namespace.ts';
export { namespaces } from './schema/schema.ts';
export { policyToSelectors, policyToSelectorsV1 } from './selectors/from-policy.ts';
export { type SelectorOperator, type SelectorV1, type SelectorV2, selectorOperators } from './selectors/selector.ts';
export { type SelectorProblem, selectorsToPolicy } from './selectors/to-policy.ts';
export type { Expression } from './syntax/ast.ts';
export { formatExpression, formatString } from './syntax/format.ts';
export { tokenize } from './syntax/lexer.ts';
export { type ParseResult, parseExpression } from './syntax/parser.ts';
export type { Span } from './syntax/span.ts';
export type { Token } from './syntax/token.ts';
export { type AddressKind, addressKinds, type StructField, type StructType, type Type, typeName } from './types.ts';
export type { PolicyField, PolicyValue } from './value.ts';

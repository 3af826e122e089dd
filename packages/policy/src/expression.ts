import { Checker } from './check/checker.ts';
import type { QuotedInteger } from './check/context.ts';
import { withControlsBeside } from './check/controls-beside.ts';
import type { CheckOptions } from './check/options.ts';
import { misplacedPresence } from './check/presence.ts';
import { partsOf, stepsOf, type Typed } from './check/typed.ts';
import type { Diagnostic } from './diagnostic.ts';
import { type Asks, compileNode } from './evaluate/compile.ts';
import type { Environment, Evaluator } from './evaluate/environment.ts';
import { decisionLimitExceeded, type NamespaceValues } from './evaluate/evaluation.ts';
import { EvaluationError } from './evaluate/evaluation-error.ts';
import type { StepBudget } from './evaluate/step-budget.ts';
import { defaultLimits, type PolicyLimits } from './limits.ts';
import { controlOf } from './schema/controls.ts';
import { activityKind } from './schema/engine.ts';
import type { Namespace } from './schema/namespace.ts';
import { parameterOf } from './schema/parameters.ts';
import { type Addition, parseExpression } from './syntax/parser.ts';
import type { Span } from './syntax/span.ts';
import type { PolicyField } from './value.ts';
import { LANGUAGE, type LanguageVersion } from './version.ts';

/** A namespace that an expression names, and its first occurrence. */
export interface NamespaceUse {
  readonly namespace: Namespace;
  readonly span: Span;
  /**
   * Whether the whole expression is an error if activities of this kind must have the namespace and the request does not. Otherwise only
   * reading it is one.
   */
  readonly demanded: boolean;
}

/** A parsed and checked expression, ready for any number of evaluations. */
export interface CompiledExpression {
  readonly field: PolicyField;
  readonly text: string;
  readonly typed: Typed;
  /** It is about the approvers who satisfy `approvers.all(…)` only. See `amongAgreeing`. */
  readonly amongAgreeing?: true;
  readonly limits: PolicyLimits;
  readonly asks: Asks;
  /** Integers that are written as texts. */
  readonly quoted: readonly QuotedInteger[];
  /** Every namespace that the expression names anywhere, predicates included, in text order. */
  readonly uses: readonly NamespaceUse[];
  /** The names of the controls among them. */
  readonly controls: readonly string[];
  /** Steps of one evaluation in the budget of a decision, apart from those that depend on the request. */
  readonly cost: number;
  readonly evaluator: Evaluator;
}

/**
 * Parses and checks one expression. Returns the expression, or at least one diagnostic.
 * `asks`: an expression that forbids something evaluates every operand, so that no earlier operand hides an error.
 */
export function compileExpression(
  text: string,
  field: PolicyField,
  options: CheckOptions = {},
  asks: Asks = 'UNTIL_DECIDED',
  rewrite: (typed: Typed) => Typed = (typed) => typed,
):
  | { readonly expression: CompiledExpression; readonly diagnostics: readonly [] }
  | { readonly expression: undefined; readonly diagnostics: readonly Diagnostic[] } {
  const limits = options.limits ?? defaultLimits;
  const parsed = parseExpression(text, limits);
  const checker = new Checker(field, options);
  // If the expression exceeds a limit, the tree is incomplete. Skip the checks.
  const broken = parsed.diagnostics.some(({ code }) => code === 'TOO_DEEP' || code === 'TOO_COMPLEX');
  const checked = checker.condition(broken ? { kind: 'invalid', span: parsed.recovered.span } : parsed.recovered);
  const { language = LANGUAGE } = options;
  const additions = language >= 3 ? [] : [...parsed.additions, ...checker.additions];
  const misplaced = misplacedPresence(parsed.recovered, asks === 'EVERY_OPERAND');
  const diagnostics = [
    ...parsed.diagnostics,
    ...checker.diagnostics,
    ...additions.map((addition) => tooNew(addition, language)),
    ...misplaced.map(notForPresence),
  ]
    .sort((a, b) => a.span.start - b.span.start)
    .slice(0, limits.diagnostics);
  if (diagnostics.length > 0) return { expression: undefined, diagnostics };
  const rewritten = rewrite(checked);
  const typed = withControlsBeside(rewritten, asks === 'EVERY_OPERAND');
  const evaluator = compileNode(typed, asks);
  const uses = usesOf(typed, language < 3 || asks === 'EVERY_OPERAND');
  const expression = {
    field,
    text,
    typed,
    ...(rewritten !== checked && { amongAgreeing: true as const }),
    limits,
    asks,
    quoted: checker.quoted,
    uses,
    controls: uses.flatMap(({ namespace }) => controlOf(namespace.path) ?? []),
    cost: stepsOf(typed),
    evaluator,
  };
  return { expression, diagnostics: [] };
}

/**
 * Evaluates an expression for a request. Returns its value, or the error if it has none.
 * INVARIANT: an expression that names an absent namespace evaluates to NAMESPACE_ABSENT, regardless of its other parts. So the content of a
 * request never decides whether a policy applies to that kind of request.
 */
export function evaluateExpression(
  expression: CompiledExpression,
  values: NamespaceValues,
  maxSteps = expression.limits.steps,
  budget?: StepBudget,
): boolean | EvaluationError {
  const absent = absentNamespace(expression, values);
  if (budget?.spend(absent === undefined ? expression.cost : 1 + expression.uses.length) === false)
    return decisionLimitExceeded(budget, expression.typed.span);
  return absent ?? runEvaluator(expression, expression.evaluator, { values, variables: [], steps: 0, maxSteps, budget });
}

/**
 * Whether a request has a namespace. `lost`: activities of this kind always have the namespace, but this request does not.
 * INVARIANT: for a parameter, the kind of activity alone decides between `absent` and the other two.
 */
export function namespaceState(namespace: Namespace, values: NamespaceValues): 'present' | 'absent' | 'lost' {
  const { path, alwaysIn } = namespace;
  if (alwaysIn === undefined) return values.has(path) ? 'present' : 'absent';
  const kind = values.get(activityKind.path);
  if (typeof kind !== 'string' || !alwaysIn.has(kind)) return 'absent';
  if (namespace.existsIf !== undefined) return 'present';
  return values.has(path) ? 'present' : 'lost';
}

/** The error of the first namespace that the expression names and the request lacks, if any. */
export function absentNamespace(expression: CompiledExpression, values: NamespaceValues): EvaluationError | undefined {
  let lost: EvaluationError | undefined;
  for (const { namespace, span, demanded } of expression.uses) {
    const state = namespaceState(namespace, values);
    if (state === 'absent') return new EvaluationError('NAMESPACE_ABSENT', span, `this request has no \`${namespace.path}\``);
    // SECURITY: activities of this kind always have the namespace. A request must not bypass a DENY by omitting it.
    const why = demanded && lost === undefined ? whyLost(expression, namespace, state, values) : undefined;
    if (why !== undefined) lost = new EvaluationError('MISSING_FIELD', span, why);
  }
  return lost;
}

/** Why a namespace that the request must have is missing. SECURITY: D480: a limit is, if no limit of the expression counts what moves. */
function whyLost(
  { controls }: CompiledExpression,
  { path }: Namespace,
  state: ReturnType<typeof namespaceState>,
  values: NamespaceValues,
): string | undefined {
  if (state === 'present') return controlOf(path) === undefined ? undefined : values.uncovered?.(path, controls);
  return values.note?.(path) ?? `\`${path}\` has no value in this request, and activities of its kind must have one`;
}

/** Runs an evaluator of the expression. Anything but a bool is an error. */
export function runEvaluator(
  expression: CompiledExpression,
  evaluator: Evaluator,
  environment: Environment,
): boolean | EvaluationError {
  const value = evaluator(environment);
  if (typeof value === 'boolean' || value instanceof EvaluationError) return value;
  return new EvaluationError('TYPE_MISMATCH', expression.typed.span, 'expected a bool, but the value has another type');
}

function tooNew({ what, span }: Addition, language: LanguageVersion): Diagnostic {
  const message = `language ${language}, in which this policy is stored, does not have ${what}`;
  return {
    code: 'NEWER_LANGUAGE',
    span,
    message,
    help: 'send the condition again as well, to store the policy in the current language',
  };
}

function notForPresence(span: Span): Diagnostic {
  const message = '`has` is in a place where the absence of a value could allow something';
  const help = 'demand the value: `has(x) && …`. To deny requests without it, write a DENY with `!has(x)`';
  return { code: 'INVALID_PRESENCE', span, message, help };
}

/**
 * The namespaces that an expression names. `strict`: an absent parameter is an error of the whole expression, even if it is not read.
 * SECURITY: a DENY is strict, so that a request never avoids it by omitting a parameter. An ALLOW of an earlier language is strict, because it
 * was stored so. A limit without a value is always an error.
 */
function usesOf(typed: Typed, strict: boolean): readonly NamespaceUse[] {
  const found = new Map<Namespace, { readonly span: Span; demanded: boolean }>();
  const visit = (node: Typed, tested: boolean) => {
    const named = node.kind === 'read' ? [node.namespace] : node.kind === 'apply' ? node.reads : [];
    for (const namespace of named) {
      const use = found.get(namespace) ?? { span: node.span, demanded: false };
      found.set(namespace, use);
      if (!tested && (strict || parameterOf(namespace.path) === undefined)) use.demanded = true;
    }
    for (const part of partsOf(node)) visit(part, tested || node.kind === 'present');
  };
  visit(typed, false);
  return [...found].map(([namespace, use]) => ({ namespace, ...use }));
}

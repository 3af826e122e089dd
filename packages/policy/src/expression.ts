import { Checker } from './check/checker.ts';
import type { LiteralOptions } from './check/literals.ts';
import { partsOf, type Typed } from './check/typed.ts';
import type { Diagnostic } from './diagnostic.ts';
import { compileNode } from './evaluate/compile.ts';
import type { Environment, Evaluator, NamespaceValues } from './evaluate/environment.ts';
import { Fault } from './evaluate/fault.ts';
import { defaultLimits, type PolicyLimits } from './limits.ts';
import { namespaces } from './schema/schema.ts';
import { parseExpression } from './syntax/parser.ts';
import type { Span } from './syntax/span.ts';
import type { PolicyField } from './value.ts';

/** What the host brings: canonical addresses, its words, and limits. */
export interface CheckOptions extends LiteralOptions {
  readonly limits?: PolicyLimits;
}

/** A namespace that an expression names, and where it does so first. */
export interface NamespaceUse {
  readonly namespace: string;
  readonly span: Span;
}

/** An expression that parsed and checked, ready to be evaluated any number of times. */
export interface CompiledExpression {
  readonly field: PolicyField;
  readonly text: string;
  readonly typed: Typed;
  readonly limits: PolicyLimits;
  /** Every namespace that the expression names anywhere, predicates included, in the order of the text. */
  readonly uses: readonly NamespaceUse[];
  readonly evaluator: Evaluator;
}

/** Parses and checks one expression. Exactly one of the two: an expression, or at least one diagnostic. */
export function compileExpression(
  text: string,
  field: PolicyField,
  options: CheckOptions = {},
):
  | { readonly expression: CompiledExpression; readonly diagnostics: readonly [] }
  | { readonly expression: undefined; readonly diagnostics: readonly Diagnostic[] } {
  const limits = options.limits ?? defaultLimits;
  const parsed = parseExpression(text, limits);
  const checker = new Checker(field, options, limits);
  // What broke a limit is not looked at any further: its tree ends where the parser stopped.
  const broken = parsed.diagnostics.some(({ code }) => code === 'TOO_DEEP' || code === 'TOO_COMPLEX');
  const typed = checker.condition(broken ? { kind: 'invalid', span: parsed.recovered.span } : parsed.recovered);
  const diagnostics = [...parsed.diagnostics, ...checker.diagnostics]
    .sort((a, b) => a.span.start - b.span.start)
    .slice(0, limits.diagnostics);
  if (diagnostics.length > 0) return { expression: undefined, diagnostics };
  return { expression: { field, text, typed, limits, uses: usesOf(typed), evaluator: compileNode(typed) }, diagnostics: [] };
}

/**
 * The value of an expression for a request, or the reason that it has none.
 * INVARIANT: an expression that names an absent namespace anywhere gives NAMESPACE_ABSENT and nothing else, whatever its other
 * parts would have given. So whether a policy concerns a kind of request never depends on the content of the request.
 */
export function evaluateExpression(
  expression: CompiledExpression,
  values: NamespaceValues,
  maxSteps = expression.limits.steps,
): boolean | Fault {
  return (
    absentNamespace(expression, values) ??
    runEvaluator(expression, expression.evaluator, { values, variables: [], steps: 0, maxSteps })
  );
}

/** Whether a request has a namespace. One that its kind of activity always has, and that is gone, is `lost`. */
export function namespaceState(namespace: string, values: NamespaceValues): 'present' | 'absent' | 'lost' {
  if (values.has(namespace)) return 'present';
  const kind = values.get('activity.kind');
  return typeof kind === 'string' && owedByKind.get(namespace)?.has(kind) === true ? 'lost' : 'absent';
}

/** The fault of the first namespace that the request lacks, if it lacks any that the expression names. */
export function absentNamespace(expression: CompiledExpression, values: NamespaceValues): Fault | undefined {
  let lost: Fault | undefined;
  for (const { namespace, span } of expression.uses) {
    const state = namespaceState(namespace, values);
    if (state === 'absent') return new Fault('NAMESPACE_ABSENT', span, `this request has no \`${namespace}\``);
    // SECURITY: the host has lost something that this kind of activity always has; a DENY must not step aside for that.
    if (state === 'lost')
      lost ??= new Fault('MISSING_FIELD', span, `there is no \`${namespace}\` in this request, though its kind has one`);
  }
  return lost;
}

/** Runs an evaluator of the expression and makes sure that a boolean comes out. */
export function runEvaluator(expression: CompiledExpression, evaluator: Evaluator, environment: Environment): boolean | Fault {
  const value = evaluator(environment);
  if (typeof value === 'boolean' || value instanceof Fault) return value;
  return new Fault('TYPE_MISMATCH', expression.typed.span, 'a bool was needed, and the value is of another type');
}

const owedByKind: ReadonlyMap<string, ReadonlySet<string>> = new Map(namespaces.map(({ path, kinds }) => [path, new Set(kinds)]));

function usesOf(typed: Typed): readonly NamespaceUse[] {
  const found = new Map<string, Span>();
  const visit = (node: Typed) => {
    const namespace = node.kind === 'read' ? node.namespace : node.kind === 'cron' ? 'time.now' : undefined;
    if (namespace !== undefined && !found.has(namespace)) found.set(namespace, node.span);
    for (const part of partsOf(node)) visit(part);
  };
  visit(typed);
  return [...found].map(([namespace, span]) => ({ namespace, span }));
}

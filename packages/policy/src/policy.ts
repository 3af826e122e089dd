import { type CheckOptions, forStored } from './check/options.ts';
import type { Diagnostic } from './diagnostic.ts';
import type { Asks } from './evaluate/compile.ts';
import { type CompiledExpression, compileExpression } from './expression.ts';
import type { PolicyField } from './value.ts';

/** What a policy does where it applies. */
export type Effect = 'EFFECT_ALLOW' | 'EFFECT_DENY';

/** The three expressions of a policy. An absent one is true. An empty `time` counts as absent, because SDKs send it that way. */
export interface PolicyExpressions {
  readonly condition?: string | undefined;
  readonly consensus?: string | undefined;
  readonly time?: string | undefined;
}

/** A policy as it is stored. */
export interface PolicySource extends PolicyExpressions {
  readonly id: string;
  readonly effect: Effect;
}

/** A diagnostic and the field of the policy that it is about. */
export interface PolicyDiagnostic extends Diagnostic {
  readonly field: PolicyField;
}

/** A policy with its expressions compiled. `invalid` says what is wrong with those that do not compile. */
export interface CompiledPolicy {
  readonly id: string;
  readonly effect: Effect;
  readonly source: PolicySource;
  readonly condition?: CompiledExpression;
  readonly consensus?: CompiledExpression;
  readonly time?: CompiledExpression;
  readonly invalid: readonly PolicyDiagnostic[];
}

const fields: readonly PolicyField[] = ['condition', 'consensus', 'time'];

/** What is wrong with the expressions of a policy. Empty when the policy may be created. */
export function checkPolicy(policy: PolicyExpressions, options: CheckOptions = {}): readonly PolicyDiagnostic[] {
  return compileFields(policy, options, 'UNTIL_DECIDED').invalid;
}

/**
 * Compiles a stored policy.
 * SECURITY: a policy that no longer compiles stays in the set. There an ALLOW grants nothing and a DENY denies.
 * A DENY asks every operand of `&&` and `||`: a fault in any of them denies, whatever the others are.
 */
export function compilePolicy(
  source: PolicySource,
  options: CheckOptions = {},
  compile: typeof compileExpression = compileExpression,
): CompiledPolicy {
  const { id, effect } = source;
  return { id, effect, source, ...compileFields(source, forStored(options), asksOf(effect), compile) };
}

/** What the expressions of a policy ask of their operands. */
export function asksOf(effect: Effect): Asks {
  return effect === 'EFFECT_DENY' ? 'EVERY_OPERAND' : 'UNTIL_DECIDED';
}

/** The expressions that a policy has, with their fields. */
export function expressionsOf(policy: PolicyExpressions): readonly (readonly [PolicyField, string])[] {
  const found: (readonly [PolicyField, string])[] = [];
  for (const field of fields) {
    const text = policy[field];
    if (text !== undefined && (field !== 'time' || text !== '')) found.push([field, text]);
  }
  return found;
}

function compileFields(policy: PolicyExpressions, options: CheckOptions, asks: Asks, compile = compileExpression) {
  const compiled: Partial<Record<PolicyField, CompiledExpression>> = {};
  const invalid: PolicyDiagnostic[] = [];
  for (const [field, text] of expressionsOf(policy)) {
    const { expression, diagnostics } = compile(text, field, options, asks);
    if (expression !== undefined) compiled[field] = expression;
    invalid.push(...diagnostics.map((diagnostic) => ({ ...diagnostic, field })));
  }
  return { ...compiled, invalid };
}

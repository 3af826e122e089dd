import { type CheckOptions, forStored } from './check/options.ts';
import type { Diagnostic } from './diagnostic.ts';
import type { Asks } from './evaluate/compile.ts';
import { type CompiledExpression, compileExpression } from './expression.ts';
import type { PolicyField } from './value.ts';

/** The effect of a policy that applies. */
export type Effect = 'EFFECT_ALLOW' | 'EFFECT_DENY';

/** The three expressions of a policy. An absent expression is true. An empty `time` counts as absent, because SDKs send it. */
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

/** A policy with its expressions compiled. `invalid` contains the diagnostics of those that do not compile. */
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

/** Checks the expressions of a policy. Returns an empty list if the policy may be created. */
export function checkPolicy(policy: PolicyExpressions, options: CheckOptions = {}): readonly PolicyDiagnostic[] {
  return compileFields(policy, options, 'UNTIL_DECIDED').invalid;
}

/**
 * Compiles a stored policy.
 * SECURITY: a policy that no longer compiles stays in the set. There an ALLOW grants nothing and a DENY denies.
 */
export function compilePolicy(source: PolicySource, options: CheckOptions = {}): CompiledPolicy {
  const { id, effect } = source;
  // SECURITY: a DENY evaluates every operand of `&&` and `||`: an error in any of them denies, regardless of the others.
  const asks = effect === 'EFFECT_DENY' ? 'EVERY_OPERAND' : 'UNTIL_DECIDED';
  return { id, effect, source, ...compileFields(source, forStored(options), asks) };
}

function compileFields(policy: PolicyExpressions, options: CheckOptions, asks: Asks) {
  const compiled: Partial<Record<PolicyField, CompiledExpression>> = {};
  const invalid: PolicyDiagnostic[] = [];
  for (const field of fields) {
    const text = policy[field];
    if (text === undefined || (field === 'time' && text === '')) continue;
    const { expression, diagnostics } = compileExpression(text, field, options, asks);
    if (expression !== undefined) compiled[field] = expression;
    invalid.push(...diagnostics.map((diagnostic) => ({ ...diagnostic, field })));
  }
  return { ...compiled, invalid };
}

import { amongAgreeing } from './check/agreeing.ts';
import { type CheckOptions, forStored } from './check/options.ts';
import type { Diagnostic } from './diagnostic.ts';
import type { Asks } from './evaluate/compile.ts';
import { type CompiledExpression, compileExpression } from './expression.ts';
import type { PolicyField } from './value.ts';
import { LANGUAGE, type LanguageVersion } from './version.ts';

/** The effect of a policy that applies. */
export type Effect = 'EFFECT_ALLOW' | 'EFFECT_DENY';

/** The three expressions of a policy. An absent expression is true. An empty `time` counts as absent, because SDKs send it. */
export interface PolicyExpressions {
  readonly condition?: string | undefined;
  readonly consensus?: string | undefined;
  readonly time?: string | undefined;
  /** The version of the language in which it is stored. Absent: the newest. */
  readonly language?: LanguageVersion | undefined;
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

/** Checks the expressions of a policy. Returns an empty list if the policy may be created. Without an effect, it is that of an ALLOW. */
export function checkPolicy(
  policy: PolicyExpressions & { readonly effect?: Effect | undefined },
  options: CheckOptions = {},
): readonly PolicyDiagnostic[] {
  return compileFields(policy, options, asksOf(policy.effect)).invalid;
}

/** SECURITY: a DENY evaluates every operand of `&&` and `||`: an error in any of them denies, regardless of the others. */
function asksOf(effect: Effect | undefined): Asks {
  return effect === 'EFFECT_DENY' ? 'EVERY_OPERAND' : 'UNTIL_DECIDED';
}

/**
 * Compiles a stored policy.
 * SECURITY: a policy that no longer compiles stays in the set. There an ALLOW grants nothing and a DENY denies.
 */
export function compilePolicy(source: PolicySource, options: CheckOptions = {}): CompiledPolicy {
  const { id, effect } = source;
  return { id, effect, source, ...compileFields(source, forStored(options), asksOf(effect)) };
}

function compileFields(policy: PolicyExpressions, hostOptions: CheckOptions, asks: Asks) {
  const { language = hostOptions.language } = policy;
  const options = language === undefined ? hostOptions : { ...hostOptions, language };
  const compiled: Partial<Record<PolicyField, CompiledExpression>> = {};
  const invalid: PolicyDiagnostic[] = [];
  for (const field of fields) {
    const text = policy[field];
    if (text === undefined || (field === 'time' && text === '')) continue;
    // A change that could allow more than before applies to the current language only.
    const countsAgreeing = field === 'consensus' && asks === 'UNTIL_DECIDED' && (language ?? LANGUAGE) >= 3;
    const rewrite = countsAgreeing ? amongAgreeing : undefined;
    const { expression, diagnostics } = compileExpression(text, field, options, asks, rewrite);
    if (expression !== undefined) compiled[field] = expression;
    invalid.push(...diagnostics.map((diagnostic) => ({ ...diagnostic, field })));
  }
  return { ...compiled, invalid };
}

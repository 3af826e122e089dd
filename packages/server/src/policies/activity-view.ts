import {
  type CheckOptions,
  type CompiledExpression,
  compileExpression,
  evaluateExpression,
  type Fault,
  type PolicyValue,
} from '@countersign/policy';
import { activityParams } from './activity-params.ts';
import type { Judgement } from './judgement.ts';
import { activityKind, policyOptions } from './policy-options.ts';

/** An activity, as far as an expression over `activity` can tell. */
export type ViewedActivity = Pick<Judgement, 'definition' | 'type' | 'params'>;

/** The only namespace that such an expression may name. */
const PREFIX = 'activity.';

const { vocabularies: _, ...withoutWords }: CheckOptions = policyOptions;
const compiled = new Map<string, CompiledExpression | undefined>();
const MAX_COMPILED = 1000;

/**
 * The value of an expression over `activity`, or why it has none.
 * Unlike policies, it sees the kind of activities that only the root quorum may do. Undefined where the text is no such expression.
 */
export function evaluateOver({ definition, type, params }: ViewedActivity, text: string): boolean | Fault | undefined {
  const expression = compiledOf(text);
  if (expression === undefined) return undefined;
  const kind = activityKind(type);
  const shown = activityParams(kind, params) ?? {};
  const values = new Map<string, PolicyValue>([
    ['activity.type', type],
    ['activity.kind', kind],
    ['activity.resource', definition.policy.resource],
    ['activity.action', definition.policy.action],
    ...Object.entries(shown).map(([name, value]) => [`activity.params.${name}`, value] as const),
  ]);
  return evaluateExpression(expression, values);
}

/** The first thing in an expression that is not about `activity`; undefined where there is none. */
export function foreignUse({ uses }: CompiledExpression): CompiledExpression['uses'][number] | undefined {
  return uses.find(({ namespace }) => !namespace.startsWith(PREFIX));
}

function compiledOf(text: string): CompiledExpression | undefined {
  if (!compiled.has(text)) {
    if (compiled.size >= MAX_COMPILED) compiled.clear();
    // Words are not checked again, as with stored policies.
    const { expression } = compileExpression(text, 'condition', withoutWords);
    compiled.set(text, expression === undefined || foreignUse(expression) !== undefined ? undefined : expression);
  }
  return compiled.get(text);
}

import { activityKind, givenParameters, parameterReader } from '@countersign/contract';
import {
  type CompiledExpression,
  comparesPath,
  compileExpression,
  type EvaluationError,
  evaluateExpression,
  evaluateWithOthers,
  forStored,
  type NamespaceUse,
  type NamespaceValues,
  type PolicyValue,
  type Replace,
  withOtherTexts,
} from '@countersign/policy';
import type { Judgement } from './judgement.ts';
import { spelling } from './normalizers.ts';
import { policyOptions } from './policy-options.ts';

/** The part of an activity that an expression over `activity` can read. */
export type ViewedActivity = Pick<Judgement, 'definition' | 'type' | 'params'>;

/** The only namespace that such an expression may use. */
const PREFIX = 'activity.';
const PARAMETERS = 'activity.params.';

const storedOptions = forStored(policyOptions);
const compiled = new Map<string, CompiledExpression | undefined>();
const MAX_COMPILED = 1000;

/**
 * Evaluates an expression over `activity`. Returns an error if it has no value, and undefined if the text is not such an expression.
 * Unlike policies, it also sees the kind of activities that only the root quorum may do.
 */
export function evaluateOver(activity: ViewedActivity, text: string): boolean | EvaluationError | undefined {
  const expression = compiledOf(text);
  return expression === undefined ? undefined : evaluateExpression(expression, valuesOf(activity));
}

const WORDS: readonly string[] = ['activity.kind', 'activity.type', 'activity.resource'];

/** Replaces the activity of a request. The action and parameters stay. */
export const otherActivity: Replace = (path, value) => (WORDS.includes(path) ? withOtherTexts(value, () => true) : value);

/** Whether an expression over `activity` demands this activity: it is true, and false for another one. */
export function demandsActivity(activity: ViewedActivity, text: string): boolean {
  const expression = compiledOf(text);
  if (expression === undefined || evaluateOver(activity, text) !== true) return false;
  return evaluateWithOthers(expression, valuesOf(activity), otherActivity) === false;
}

/** Whether an expression over `activity` compares the activity with its own kind, type or resource, to demand or to exclude it. */
export function mentionsActivity(activity: ViewedActivity, text: string): boolean {
  const expression = compiledOf(text);
  const values = valuesOf(activity);
  return expression !== undefined && WORDS.some((path) => comparesPath(expression, path, String(values.get(path))));
}

/** The activity as namespaces, before its executor has planned it. Values that only the executor knows are absent. */
function valuesOf({ definition, type, params }: ViewedActivity): NamespaceValues {
  const sent = (params ?? {}) as Readonly<Record<string, unknown>>;
  const read = parameterReader(definition, { sent }, spelling);
  const fixed = new Map<string, PolicyValue>([
    ['activity.type', type],
    ['activity.kind', activityKind(type)],
    ['activity.resource', definition.policy.resource],
    ['activity.action', definition.policy.action],
    ['activity.given', givenParameters(definition, sent)],
  ]);
  const get = (path: string) => {
    const name = path.startsWith(PARAMETERS) ? path.slice(PARAMETERS.length) : undefined;
    return name === undefined ? fixed.get(path) : read(name);
  };
  return { get, has: (path) => get(path) !== undefined };
}

/** The first use of a namespace other than `activity`, if any. */
export function foreignUse({ uses }: CompiledExpression): NamespaceUse | undefined {
  return uses.find(({ namespace }) => !namespace.path.startsWith(PREFIX));
}

function compiledOf(text: string): CompiledExpression | undefined {
  if (!compiled.has(text)) {
    if (compiled.size >= MAX_COMPILED) compiled.clear();
    const { expression } = compileExpression(text, 'condition', storedOptions, 'EVERY_OPERAND');
    compiled.set(text, expression === undefined || foreignUse(expression) !== undefined ? undefined : expression);
  }
  return compiled.get(text);
}

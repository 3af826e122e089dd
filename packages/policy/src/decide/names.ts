import { someNode } from '../check/typed.ts';
import type { NamespaceValues } from '../evaluate/evaluation.ts';
import { StepBudget } from '../evaluate/step-budget.ts';
import { type CompiledExpression, runEvaluator } from '../expression.ts';
import type { DecisionRequest } from '../request.ts';
import { isList, isMap, isRecord, type PolicyValue } from '../value.ts';
import { pathOf } from './index-key.ts';
import { readRequest } from './read-request.ts';

/** Ends a text that takes the place of another. It is not valid Unicode, so no policy and no request contains it. */
const UNLIKE = '\ud800';

/** Whether a condition names something in a request. False if the budget does not suffice to find out. */
export type Names = (condition: CompiledExpression | undefined, budget?: StepBudget) => boolean;

/** Puts other values in the place of what a condition has to name, by the path of the namespace. Returns everything else unchanged. */
export type Replace = (path: string, value: PolicyValue) => PolicyValue;

/**
 * Returns a test of whether a condition names something in a request: it is false for the same request with something else in its place.
 * The other texts begin alike, so a comparison of beginnings names nothing. Neither does a comparison that excludes something else.
 * INVARIANT: `c && x` names something only if `c` does, or if `x` is false without it. So no addition to a condition names by accident.
 */
export function namesIn(request: DecisionRequest, replace: Replace): Names {
  const others = withOthers(readRequest(request).values, replace);
  return (condition, budget) => condition !== undefined && evaluatePresent(condition, others, budget) === false;
}

/** The value of an expression for a request with something else in the place of a part of it. */
export function evaluateWithOthers(expression: CompiledExpression, values: NamespaceValues, replace: Replace) {
  return evaluatePresent(expression, withOthers(values, replace));
}

/** Evaluates an expression without checking which namespaces this kind of request has: the kind may be replaced. */
function evaluatePresent(expression: CompiledExpression, values: NamespaceValues, budget = new StepBudget()) {
  budget.spend(expression.cost);
  const environment = { values, variables: [], steps: 0, maxSteps: expression.limits.steps, budget };
  return runEvaluator(expression, expression.evaluator, environment);
}

function withOthers(values: NamespaceValues, replace: Replace): NamespaceValues {
  const made = new Map<string, PolicyValue | undefined>();
  return {
    get(path) {
      if (!made.has(path)) {
        const value = values.get(path);
        made.set(path, value === undefined ? undefined : replace(path, value));
      }
      return made.get(path);
    },
    has: (path) => values.has(path),
    uncovered: (path, beside) => values.uncovered?.(path, beside),
  };
}

/** Whether an expression reads a fixed path. */
export function readsPath({ typed }: CompiledExpression, path: string): boolean {
  return someNode(typed, (node) => node.kind === 'read' && pathOf(node) === path);
}

/** Whether an expression compares a fixed path with a literal, to demand or to exclude it. */
export function comparesPath({ typed }: CompiledExpression, path: string, value: string): boolean {
  return someNode(
    typed,
    (node) => node.kind === 'oneOf' && node.operand.kind === 'read' && pathOf(node.operand) === path && node.values.has(value),
  );
}

/** A value with other texts in the place of the selected ones. */
export function withOtherTexts(value: PolicyValue, isSelected: (text: string) => boolean): PolicyValue {
  if (typeof value === 'string') return isSelected(value) ? `${value}${UNLIKE}` : value;
  const entry = ([key, each]: [string, PolicyValue]): [string, PolicyValue] => [key, withOtherTexts(each, isSelected)];
  if (isList(value)) return value.map((each) => withOtherTexts(each, isSelected));
  if (isMap(value)) return new Map([...value].map(entry));
  return isRecord(value) ? Object.fromEntries(Object.entries(value).map(entry)) : value;
}

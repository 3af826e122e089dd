import type { Typed } from '../check/typed.ts';
import { compilePolicy } from '../policy.ts';
import { stepsAside } from './applicable.ts';
import { denySidesteps } from './deny-sidestep.ts';
import type { LintOptions } from './lint.ts';
import { neverMatches } from './never-matches.ts';
import { allNodes } from './nodes.ts';
import { notOfferedWords } from './not-offered.ts';
import type { PolicyWarning } from './warning.ts';

/** An expression over `activity` outside of policies: where an MFA policy requires a second factor, or what a session may do. */
export type ActivityExpressionUse = 'MFA_CONDITION' | 'SESSION_SCOPE';

/**
 * Warnings about an expression over `activity`. An MFA condition acts as a DENY does: it steps aside where a parameter is absent, and an error
 * counts as true. A scope acts as an ALLOW does, but evaluates every operand, so that an error anywhere allows nothing.
 */
export function lintActivityExpression(
  condition: string,
  use: ActivityExpressionUse,
  options: LintOptions = {},
): readonly PolicyWarning[] {
  const isMfa = use === 'MFA_CONDITION';
  const policy = compilePolicy({ id: use, effect: isMfa ? 'EFFECT_DENY' : 'EFFECT_ALLOW', condition }, options);
  if (policy.condition === undefined) return [];
  const { activities = [] } = options;
  const never = neverMatches(policy, undefined);
  const reach = never.length > 0 ? never : stepsAside(policy, activities);
  const found = [
    ...reach,
    ...denySidesteps(policy, activities),
    ...notOfferedWords(policy, options.notOffered),
    ...failing(policy.condition.typed, isMfa),
  ];
  return found.map(({ policyId: _, ...warning }) =>
    warning.code === 'APPLIES_TO' ? { ...warning, help: whereElse(isMfa) } : warning,
  );
}

function whereElse(isMfa: boolean): string {
  return isMfa
    ? 'no second factor is required there: `||` does not help, so make one MFA policy for each'
    : 'the session may do nothing else, whatever its other parts say: leave the parameter out, or make one profile for each';
}

/** `&&` and `||` do not skip an operand here. One that has no value for some requests decides all of them. */
function failing(typed: Typed, isMfa: boolean): readonly PolicyWarning[] {
  const operand = allNodes(typed)
    .flatMap((node) => (node.kind === 'or' || node.kind === 'and' ? node.operands.slice(1) : []))
    .find((each) => allNodes(each).some(({ kind }) => kind === 'index' || kind === 'slice'));
  if (operand === undefined) return [];
  const outcome = isMfa ? 'the second factor is required' : 'the session may not do it';
  return [
    {
      code: 'EVERY_OPERAND',
      field: 'condition',
      span: operand.span,
      message: `every part is evaluated here, also after one that decides: if this part has no value, ${outcome}`,
      help: 'ask with `any`, `all` or `contains`, which have a value for every list',
      example: { 'activity.params': 'a list that is shorter' },
    },
  ];
}

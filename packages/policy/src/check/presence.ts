import { has } from '../builtins/functions.ts';
import { all, any } from '../builtins/list-methods.ts';
import type { Expression } from '../syntax/ast.ts';
import type { Span } from '../syntax/span.ts';

/**
 * The calls of `has` in places where the absence of a value could make the expression true. `mayBeNegated`: the expression denies, so that
 * `!has(…)` denies a request without the value.
 * INVARIANT: elsewhere, an expression is never true because a value is absent: `has` is the whole of it, an operand of `&&` or `||`, or the
 * predicate of `any` or `all`, which all keep their value or become true when an operand becomes true.
 */
export function misplacedPresence(root: Expression, mayBeNegated: boolean): readonly Span[] {
  const found: Span[] = [];
  const visit = (expression: Expression, allowed: boolean) => {
    switch (expression.kind) {
      case 'let':
        return visit(expression.body, allowed);
      case 'and':
      case 'or':
        for (const operand of expression.operands) visit(operand, allowed);
        return;
      case 'not':
        return visit(expression.operand, allowed && mayBeNegated);
      case 'call':
        if (expression.name === has.name && !allowed) found.push(expression.span);
        break;
      case 'method': {
        const keeps = (expression.name === any.name || expression.name === all.name) && expression.args.length === 2;
        visit(expression.base, false);
        for (const [at, argument] of expression.args.entries()) visit(argument, keeps && at === 1 && allowed);
        return;
      }
    }
    for (const part of partsOf(expression)) visit(part, false);
  };
  visit(root, true);
  return found;
}

/** The parts of an expression. */
function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'list':
      return expression.items;
    case 'field':
      return [expression.base];
    case 'index':
      return [expression.base, expression.index];
    case 'slice':
      return [expression.base, expression.from, expression.to];
    case 'call':
      return expression.args;
    case 'negate':
      return [expression.operand];
    case 'arithmetic':
      return expression.operands;
    case 'compare':
      return [expression.left, expression.right];
    case 'in':
      return [expression.item, expression.list];
    default:
      return [];
  }
}

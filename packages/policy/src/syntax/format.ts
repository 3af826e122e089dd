import type { Expression } from './ast.ts';

/** How tightly a node binds. An operand that binds less tightly than its place demands gets parentheses. */
const precedence = { or: 1, and: 2, compare: 3, not: 4, postfix: 5 } as const;

/** The canonical text of a tree. `parseExpression(formatExpression(tree))` gives the same tree, spans aside. */
export function formatExpression(expression: Expression): string {
  switch (expression.kind) {
    case 'boolean':
      return String(expression.value);
    case 'integer':
      return expression.value.toString();
    case 'string':
      return formatString(expression.value);
    case 'list':
      return `[${expression.items.map(formatExpression).join(', ')}]`;
    case 'name':
      return expression.name;
    case 'field':
      return `${operand(expression.base, precedence.postfix)}.${expression.name}`;
    case 'index':
      return `${operand(expression.base, precedence.postfix)}[${formatExpression(expression.index)}]`;
    case 'slice':
      return `${operand(expression.base, precedence.postfix)}[${formatExpression(expression.from)}..${formatExpression(expression.to)}]`;
    case 'call':
      return `${expression.name}(${expression.args.map(formatExpression).join(', ')})`;
    case 'method':
      return `${operand(expression.base, precedence.postfix)}.${expression.name}(${expression.args.map(formatExpression).join(', ')})`;
    case 'not':
      return `!${operand(expression.operand, precedence.not)}`;
    case 'and':
      return expression.operands.map((each) => operand(each, precedence.and + 1)).join(' && ');
    case 'or':
      return expression.operands.map((each) => operand(each, precedence.or + 1)).join(' || ');
    case 'compare':
      return `${operand(expression.left, precedence.not)} ${expression.operator} ${operand(expression.right, precedence.not)}`;
    case 'in':
      return `${operand(expression.item, precedence.not)} in ${operand(expression.list, precedence.not)}`;
    case 'invalid':
      return '';
  }
}

/** A string literal with its quotes. */
export function formatString(value: string): string {
  return `'${value.replace(/[\\']/g, '\\$&')}'`;
}

function operand(expression: Expression, atLeast: number): string {
  const text = formatExpression(expression);
  return binding(expression) >= atLeast ? text : `(${text})`;
}

function binding(expression: Expression): number {
  switch (expression.kind) {
    case 'or':
      return precedence.or;
    case 'and':
      return precedence.and;
    case 'compare':
    case 'in':
      return precedence.compare;
    case 'not':
      return precedence.not;
    default:
      return precedence.postfix;
  }
}

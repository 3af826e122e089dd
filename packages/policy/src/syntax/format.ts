import type { Arithmetic, Expression, Quantity } from './ast.ts';

/** Operator precedence. An operand with a lower precedence than its position requires gets parentheses. */
const precedence = { or: 1, and: 2, compare: 3, sum: 4, product: 5, unary: 6, postfix: 7 } as const;

/** The canonical text of a tree. `parseExpression(formatExpression(tree))` returns the same tree, except for spans. */
export function formatExpression(expression: Expression): string {
  switch (expression.kind) {
    case 'boolean':
      return String(expression.value);
    case 'integer':
      return expression.value.toString();
    case 'quantity':
      return formatQuantity(expression);
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
      if (expression.operand.kind === 'in') return formatMembership(expression.operand, 'not in');
      return `!${operand(expression.operand, precedence.unary)}`;
    case 'negate':
      return `-${isNumber(expression.operand) ? `(${formatExpression(expression.operand)})` : operand(expression.operand, precedence.unary)}`;
    case 'arithmetic':
      return formatArithmetic(expression);
    case 'and':
      return expression.operands.map((each) => operand(each, precedence.and + 1)).join(' && ');
    case 'or':
      return expression.operands.map((each) => operand(each, precedence.or + 1)).join(' || ');
    case 'compare':
      return `${operand(expression.left, precedence.sum)} ${expression.operator} ${operand(expression.right, precedence.sum)}`;
    case 'in':
      return formatMembership(expression, 'in');
    case 'let': {
      const constants = expression.constants.map(({ name, value }) => `let ${name} = ${formatExpression(value)}; `);
      return `${constants.join('')}${formatExpression(expression.body)}`;
    }
    case 'invalid':
      return '';
  }
}

function formatMembership({ item, list }: Expression & { kind: 'in' }, operator: 'in' | 'not in'): string {
  return `${operand(item, precedence.sum)} ${operator} ${operand(list, precedence.sum)}`;
}

/** A string literal with its quotes. */
export function formatString(value: string): string {
  return /[\\']/.test(value) ? `'${value.replace(/[\\']/g, '\\$&')}'` : `'${value}'`;
}

function formatQuantity({ digits, places, unit }: Quantity): string {
  const text = digits.toString().padStart(places + 1, '0');
  const whole = text.slice(0, text.length - places);
  return `${places === 0 ? whole : `${whole}.${text.slice(-places)}`} ${unit}`;
}

function formatArithmetic(expression: Arithmetic): string {
  const [first, ...rest] = expression.operands.map((each) => operand(each, levelOf(expression) + 1));
  return rest.reduce((text, each, index) => `${text} ${expression.operators[index]} ${each}`, first ?? '');
}

function levelOf({ operators: [operator] }: Arithmetic): number {
  return operator === '*' || operator === '/' ? precedence.product : precedence.sum;
}

/** A minus sign directly before digits belongs to the number. */
function isNumber(expression: Expression): boolean {
  return expression.kind === 'integer' && expression.value >= 0n;
}

function operand(expression: Expression, atLeast: number): string {
  const text = formatExpression(expression);
  return binding(expression) >= atLeast ? text : `(${text})`;
}

function binding(expression: Expression): number {
  switch (expression.kind) {
    case 'let':
      return 0;
    case 'or':
      return precedence.or;
    case 'and':
      return precedence.and;
    case 'compare':
    case 'in':
      return precedence.compare;
    case 'arithmetic':
      return levelOf(expression);
    case 'not':
      return expression.operand.kind === 'in' ? precedence.compare : precedence.unary;
    case 'negate':
      return precedence.unary;
    case 'integer':
      return expression.value < 0n ? precedence.unary : precedence.postfix;
    default:
      return precedence.postfix;
  }
}

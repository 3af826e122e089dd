import { MAX_INTEGER_BITS } from '../limits.ts';
import type { ArithmeticOperator } from '../syntax/ast.ts';
import type { Computed } from './symbolic.ts';
import type { Symbols } from './symbols.ts';
import { or, same, type Term } from './term.ts';

const LARGEST = 2n ** BigInt(MAX_INTEGER_BITS) - 1n;

/** Encodes a run of arithmetic from left to right, like evaluation. Undefined if an operand is not an integer. */
export function encodeArithmetic(
  operands: readonly Computed[],
  operators: readonly ArithmeticOperator[],
  symbols: Symbols,
): Computed | undefined {
  const terms = operands.flatMap(({ value }) => (value.kind === 'int' ? [value.term] : []));
  const [first, ...others] = terms;
  if (first === undefined || terms.length < operands.length) return undefined;
  const errors = operands.map(({ error }) => error);
  let result = first;
  for (const [index, right] of others.entries()) {
    const operator = operators[index] as ArithmeticOperator;
    if (operator === '/') errors.push(same(right, '0'));
    result = symbols.share(operator === '/' ? floorDivide(result, right) : `(${operator} ${result} ${right})`, 'Int');
    errors.push(tooLarge(result));
  }
  return { error: or(...errors), value: { kind: 'int', term: result } };
}

/** Whether an integer exceeds the limit of arithmetic. */
export function tooLarge(term: Term): Term {
  return /^[0-9]+$/.test(term) ? 'false' : `(or (> ${term} ${LARGEST}) (< ${term} (- ${LARGEST})))`;
}

/** The language rounds towards negative infinity. `div` of SMT-LIB does so for a positive divisor only. */
function floorDivide(left: Term, right: Term): Term {
  return `(ite (> ${right} 0) (div ${left} ${right}) (div (- ${left}) (- ${right})))`;
}

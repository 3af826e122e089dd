import { MAX_INTEGER_BITS } from '../limits.ts';
import type { ArithmeticOperator } from '../syntax/ast.ts';
import type { Span } from '../syntax/span.ts';
import type { PolicyValue } from '../value.ts';
import { EvaluationError } from './evaluation-error.ts';
import { mismatch } from './raise.ts';

const LARGEST = 2n ** BigInt(MAX_INTEGER_BITS) - 1n;

/** Computes from left to right. Every step is exact. A step that exceeds the limit is an error. */
export function compute(
  operands: readonly PolicyValue[],
  operators: readonly ArithmeticOperator[],
  span: Span,
): bigint | EvaluationError {
  const [first] = operands;
  if (typeof first !== 'bigint') return mismatch('int', first as PolicyValue, span);
  let result: bigint = first;
  for (const [index, operator] of operators.entries()) {
    const right = operands[index + 1] as PolicyValue;
    if (typeof right !== 'bigint') return mismatch('int', right, span);
    if (operator === '/' && right === 0n) return new EvaluationError('DIVISION_BY_ZERO', span, 'this divides by zero');
    const next = bounded(steps[operator](result, right), span);
    if (next instanceof EvaluationError) return next;
    result = next;
  }
  return result;
}

/** Returns the integer, or an error if it is too large for further arithmetic. SECURITY: repeated squaring would grow without bound. */
export function bounded(value: bigint, span: Span): bigint | EvaluationError {
  if (value <= LARGEST && value >= -LARGEST) return value;
  return new EvaluationError('INTEGER_TOO_LARGE', span, `the result has more than ${MAX_INTEGER_BITS} bits`);
}

const steps: Readonly<Record<ArithmeticOperator, (left: bigint, right: bigint) => bigint>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': floorDivide,
};

/** Rounds towards negative infinity: `7 / 2` is 3 and `-7 / 2` is -4. So `a / b * b <= a` holds for a positive `b`. */
function floorDivide(left: bigint, right: bigint): bigint {
  const quotient = left / right;
  return left % right !== 0n && left < 0n !== right < 0n ? quotient - 1n : quotient;
}

import { compute } from '../evaluate/arithmetic.ts';
import { EvaluationError } from '../evaluate/evaluation-error.ts';
import type { ArithmeticOperator } from '../syntax/ast.ts';
import type { Span } from '../syntax/span.ts';
import { t, typeName } from '../types.ts';
import type { CheckContext } from './context.ts';
import type { Scalar, Typed } from './typed.ts';

/** Checks `a + b * c` and folds literals. Reports a type mismatch and returns undefined. */
export function checkArithmetic(
  operands: readonly Typed[],
  operators: readonly ArithmeticOperator[],
  span: Span,
  { report }: CheckContext,
): Typed | undefined {
  const odd = operands.find(({ type }) => !['int', 'dynamic', 'unknown'].includes(type.kind));
  if (odd !== undefined) {
    const help = odd.type.kind === 'string' ? 'texts are compared whole; there is no way to join them' : undefined;
    return report(
      'TYPE_MISMATCH',
      odd.span,
      `\`${operators[0]}\` computes with ints, but this has type ${typeName(odd.type)}`,
      help,
    );
  }
  if (operands.some(({ type }) => type.kind === 'unknown')) return undefined;
  const zero = operands.find((each, index) => operators[index - 1] === '/' && each.kind === 'constant' && each.value === 0n);
  if (zero !== undefined) return report('DIVISION_BY_ZERO', zero.span, 'this divides by zero');
  const constants = operands.flatMap((each) => (each.kind === 'constant' ? [each] : []));
  if (constants.length < operands.length) return { kind: 'arithmetic', operands, operators, type: t.int, span };
  const value: Scalar | EvaluationError = compute(
    constants.map((each) => each.value),
    operators,
    span,
  );
  if (value instanceof EvaluationError) return report('INTEGER_OUT_OF_RANGE', span, value.message);
  const unit = constants.find((each) => each.unit !== undefined)?.unit;
  return { kind: 'constant', value, type: t.int, span, ...(unit !== undefined && { unit }) };
}

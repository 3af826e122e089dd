import type { Span } from '../syntax/span.ts';
import { t, typeName } from '../types.ts';
import type { CheckContext } from './context.ts';
import { unquoted } from './quoted-integer.ts';
import type { OrderNode, Typed } from './typed.ts';

/** Checks `first < second` and the like. Reports a type mismatch and returns undefined. */
export function checkOrder(
  operator: OrderNode['operator'],
  first: Typed,
  second: Typed,
  span: Span,
  context: CheckContext,
): Typed | undefined {
  const meetsInteger = (node: Typed) => node.kind !== 'constant' && (node.type.kind === 'int' || node.type.kind === 'dynamic');
  // Texts have no order, so a quoted literal can only be an integer here.
  const left = meetsInteger(second) ? unquoted(first, context) : first;
  const right = meetsInteger(first) ? unquoted(second, context) : second;
  const kinds = [left, right].map(({ type }) => type.kind).filter((kind) => kind !== 'unknown');
  const ints = kinds.every((kind) => kind === 'int' || kind === 'dynamic');
  if (!ints && !kinds.every((kind) => kind === 'timestamp')) {
    const odd = [left, right].find(({ type }) => !['int', 'timestamp', 'dynamic', 'unknown'].includes(type.kind)) ?? right;
    const message = `\`${operator}\` compares two ints or two timestamps, but this has type ${typeName(odd.type)}`;
    const help = odd.type.kind === 'list' ? 'write `.count()` for the number of its elements' : undefined;
    return context.report('TYPE_MISMATCH', odd.span, message, help);
  }
  return { kind: 'order', operator, left, right, type: t.bool, span };
}

import type { Span } from '../syntax/span.ts';
import { type Type, t, typeName } from '../types.ts';
import type { CheckContext } from './context.ts';
import { emptyHelp, literalTexts } from './literals.ts';
import { quotedDecimal, unquoted } from './quoted-integer.ts';
import type { QuotedIntegers, Scalar, Typed } from './typed.ts';

type Constant = Typed & { kind: 'constant' };

/** Checks `left == right`. Reports a type mismatch and returns undefined. */
export function checkEquality(left: Typed, right: Typed, negated: boolean, span: Span, context: CheckContext): Typed | undefined {
  if (isUnknown(left) || isUnknown(right)) return undefined;
  if (left.kind === 'constant' && right.kind !== 'constant') return checkEquality(right, left, negated, span, context);
  if (right.kind === 'constant') {
    const found = canonicalValues([right], left.type, context);
    return found && { kind: 'oneOf', operand: left, ...found, negated, type: t.bool, span };
  }
  if (!comparable(left.type, right.type)) return mismatch(left, right, span, context);
  return { kind: 'equal', left, right, negated, type: t.bool, span };
}

/** Checks `item in list` and `list.contains(item)`. Reports a type mismatch and returns undefined. */
export function checkMembership(item: Typed, list: Typed, span: Span, context: CheckContext): Typed | undefined {
  if (isUnknown(item) || isUnknown(list)) return undefined;
  if (list.kind === 'list') return checkLiteralMembership(item, list, span, context);
  if (list.type.kind !== 'list' && list.type.kind !== 'dynamic') {
    const help =
      list.type.kind === 'string' ? "there is no search inside strings; write `text.startsWith('…')`" : structHelp(list);
    return context.report('TYPE_MISMATCH', list.span, `this has type ${typeName(list.type)}, but a list is needed`, help);
  }
  const of = list.type.kind === 'list' ? list.type.of : t.dynamic;
  if (item.kind === 'constant') {
    const found = canonicalValues([item], of, context);
    return found && { kind: 'hasOneOf', list, ...found, type: t.bool, span };
  }
  if (!comparable(item.type, of)) return mismatch(item, { ...list, type: of }, span, context);
  return { kind: 'member', item, list, type: t.bool, span };
}

function checkLiteralMembership(
  item: Typed,
  list: Typed & { kind: 'list' },
  span: Span,
  context: CheckContext,
): Typed | undefined {
  if (list.items.some(isUnknown)) return undefined;
  const constants = list.items.filter(isConstant);
  const others = list.items.filter((each) => !isConstant(each));
  // Normalize literals for the value they are compared with: the item, or the fields in the list if the item is a literal.
  const pivot = item.kind === 'constant' ? (others[0] ?? item) : item;
  const odd = others.find((each) => !comparable(each.type, pivot.type));
  if (odd !== undefined) return mismatch(pivot, odd, span, context);
  const found = canonicalValues(constants, pivot.type, context);
  if (found === undefined) return undefined;
  if (others.length === 0) return { kind: 'oneOf', operand: item, ...found, negated: false, type: t.bool, span };
  const literals = [...found.values].map((value): Typed => ({ kind: 'constant', value, type: pivot.type, span: list.span }));
  const canonicalList: Typed = { ...list, items: [...literals, ...others] };
  if (item.kind !== 'constant') return { kind: 'member', item, list: canonicalList, type: t.bool, span };
  const wanted = canonicalValues([item], pivot.type, context);
  return wanted && { kind: 'hasOneOf', list: canonicalList, ...wanted, type: t.bool, span };
}

interface CanonicalValues {
  readonly values: ReadonlySet<Scalar>;
  readonly integers?: QuotedIntegers;
}

/** The canonical values of literals that are compared with a value of the type. */
function canonicalValues(literals: readonly Constant[], type: Type, context: CheckContext): CanonicalValues | undefined {
  const values = new Set<Scalar>();
  let valid = true;
  const constants = type.kind === 'int' ? literals.map((each) => unquoted(each, context)).filter(isConstant) : literals;
  for (const constant of constants) {
    if (!literalFits(constant.type, type)) {
      const message = `this has type ${typeName(constant.type)}, but the other side has type ${typeName(type)}`;
      context.report('TYPE_MISMATCH', constant.span, message, literalHelp(constant, type));
      valid = false;
    } else if (constant.ids !== undefined) {
      for (const id of constant.ids) values.add(id);
    } else if (typeof constant.value === 'string') {
      const texts = literalTexts(constant.value, type, constant.span, context.options);
      if ('code' in texts) {
        context.add(texts);
        valid = false;
      } else {
        for (const text of texts) values.add(text);
      }
    } else {
      values.add(constant.value);
    }
  }
  if (!valid) return undefined;
  const integers = type.kind === 'dynamic' ? quotedIntegers(constants, context) : undefined;
  return integers === undefined ? { values } : { values, integers };
}

/** The quoted integers, if every literal is one. Hexadecimal texts stay texts, because bytes look the same. */
function quotedIntegers(constants: readonly Constant[], context: CheckContext): QuotedIntegers | undefined {
  const integers = new Map(
    constants.map((each) => [each, typeof each.value === 'string' ? quotedDecimal(each.value) : undefined]),
  );
  if (constants.length === 0 || [...integers.values()].includes(undefined)) return undefined;
  for (const [{ span }, value] of integers) if (value !== undefined) context.noteQuoted({ span, value, dynamic: true });
  return new Set([...integers.values()].filter((value) => value !== undefined));
}

function literalFits(literal: Type, type: Type): boolean {
  if (literal.kind === 'asset') return type.kind === 'string' && type.form === 'asset';
  if (type.kind === 'dynamic') return literal.kind === 'string' || literal.kind === 'int' || literal.kind === 'bool';
  return literal.kind === type.kind || (literal.kind === 'string' && type.kind === 'address');
}

function literalHelp(constant: Constant, type: Type): string | undefined {
  if (constant.value === '' && (type.kind === 'int' || type.kind === 'bool'))
    return `${type.kind === 'int' ? 'an int' : 'a bool'} is never empty; ${emptyHelp}`;
  if (type.kind === 'struct') return 'ask each element: `list.any(each, each.id == …)`';
  if (type.kind === 'list' && constant.value === '') return 'write `list.count() == 0` for an empty list';
  if (type.kind === 'list') return 'write `list.contains(…)`, or `list.all(item, …)`';
  if (type.kind === 'int' && typeof constant.value === 'string')
    return 'write an integer without quotes, in decimal and without leading zeros';
  if (type.kind === 'bool' && (constant.value === 'true' || constant.value === 'false')) return 'write it without quotes';
  if (constant.ids !== undefined) return 'an asset is compared with the `asset` of a payment or an effect';
  if ((type.kind === 'string' || type.kind === 'address') && typeof constant.value === 'bigint') return 'put it in single quotes';
  return undefined;
}

/** Whether two values that are not literals can be compared for equality. */
function comparable(left: Type, right: Type): boolean {
  const scalar = (type: Type) => ['bool', 'int', 'string', 'address', 'dynamic'].includes(type.kind);
  if (left.kind === 'dynamic' || right.kind === 'dynamic') return scalar(left) && scalar(right);
  if (left.kind === 'address' && right.kind === 'address') {
    return left.chain === right.chain || left.chain === 'any' || right.chain === 'any';
  }
  return left.kind === right.kind && ['bool', 'int', 'string', 'timestamp'].includes(left.kind);
}

function mismatch(left: Typed, right: Typed, span: Span, context: CheckContext): undefined {
  const message = `a ${typeName(left.type)} cannot be compared with a ${typeName(right.type)}`;
  const help = [left, right].map(structHelp).find((each) => each !== undefined);
  return context.report('TYPE_MISMATCH', span, message, help);
}

/** Help for a record that should be a value. */
function structHelp({ type }: Typed): string | undefined {
  if (type.kind !== 'struct') return undefined;
  const fields = Object.keys(type.fields).slice(0, 6);
  return `write one of its fields: ${fields.map((name) => `\`.${name}\``).join(', ')}`;
}

function isConstant(node: Typed): node is Constant {
  return node.kind === 'constant';
}

function isUnknown(node: Typed): boolean {
  return node.type.kind === 'unknown';
}

import type { Span } from '../syntax/span.ts';
import { type Type, t, typeName } from '../types.ts';
import type { CheckContext } from './context.ts';
import { literalTexts } from './literals.ts';
import { invalid, type Typed } from './typed.ts';

/** Checks a list whose items have been checked. */
export function checkList(items: readonly Typed[], span: Span, context: CheckContext): Typed | undefined {
  if (items.length === 0) return context.report('EMPTY_LIST', span, 'an empty list holds nothing, so nothing can be in it');
  const known = items.filter(({ type }) => type.kind !== 'unknown');
  const first = known.find(({ type }) => type.kind !== 'dynamic')?.type ?? known[0]?.type ?? t.unknown;
  const odd = known.find(({ type }) => type.kind !== 'dynamic' && family(type) !== family(first));
  if (odd !== undefined) {
    const message = `the list starts with ${typeName(first)}, but this has type ${typeName(odd.type)}`;
    return context.report('TYPE_MISMATCH', odd.span, message);
  }
  // A list of literals and fields has the type of the fields, and its literals are normalized for that type. One dynamic element makes the
  // whole list dynamic.
  const field = known.find(({ kind }) => kind !== 'constant')?.type;
  const of = known.some(({ type }) => type.kind === 'dynamic') ? t.dynamic : (field ?? first);
  return { kind: 'list', items: items.map((each) => checkItem(each, of, context)), type: t.list(of), span };
}

function checkItem(item: Typed, of: Type, { options, add }: CheckContext): Typed {
  if (item.kind !== 'constant' || typeof item.value !== 'string' || item.ids !== undefined) return item;
  const texts = literalTexts(item.value, of, item.span, options);
  if (!('code' in texts)) return { ...item, value: texts.at(-1) ?? item.value };
  add(texts);
  return invalid(item.span);
}

/** The family of types that one list may mix. */
function family(type: Type): string {
  return type.kind === 'address' || type.kind === 'asset' ? 'string' : type.kind;
}

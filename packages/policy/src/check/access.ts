import type { Span } from '../syntax/span.ts';
import { typeName } from '../types.ts';
import type { CheckContext } from './context.ts';
import type { Typed } from './typed.ts';

/** Checks `base[index]`. Reports a type mismatch and returns undefined. */
export function checkIndex(base: Typed, index: Typed, span: Span, { report }: CheckContext): Typed | undefined {
  const { type } = base;
  if (type.kind === 'unknown' || index.type.kind === 'unknown') return undefined;
  const keyed = type.kind === 'map' || type.kind === 'dynamic';
  const counted = type.kind === 'list' || type.kind === 'string' || type.kind === 'dynamic';
  if (!keyed && !counted) {
    const help = type.kind === 'struct' ? 'write `.field`' : type.kind === 'address' ? 'compare whole addresses' : undefined;
    return report('TYPE_MISMATCH', base.span, `a ${typeName(type)} cannot be indexed`, help);
  }
  const fits = index.type.kind === 'dynamic' || (keyed && index.type.kind === 'string') || (counted && index.type.kind === 'int');
  if (!fits) {
    const needed = counted ? 'an int' : 'a string';
    return report('TYPE_MISMATCH', index.span, `this has type ${typeName(index.type)}, but ${needed} is needed`);
  }
  return { kind: 'index', base, index, type: type.kind === 'list' || type.kind === 'map' ? type.of : type, span };
}

/** Checks `base[from..to]`. Reports a type mismatch and returns undefined. */
export function checkSlice(
  base: Typed,
  [from, to]: readonly [Typed, Typed],
  span: Span,
  { report }: CheckContext,
): Typed | undefined {
  const odd = [from, to].find(({ type }) => !['int', 'dynamic', 'unknown'].includes(type.kind));
  if (odd !== undefined) return report('TYPE_MISMATCH', odd.span, `this has type ${typeName(odd.type)}, but an int is needed`);
  if (!['list', 'string', 'dynamic', 'unknown'].includes(base.type.kind)) {
    const help = base.type.kind === 'address' ? 'compare whole addresses' : undefined;
    return report('TYPE_MISMATCH', base.span, `a ${typeName(base.type)} cannot be sliced`, help);
  }
  return { kind: 'slice', base, from, to, type: base.type, span };
}

import type { CheckOptions } from '../check/options.ts';
import { partsOf, type Typed, withParts } from '../check/typed.ts';
import { compileNode } from '../evaluate/compile.ts';
import { type CompiledExpression, type Filling, type Trees, withLiterals } from '../expression.ts';
import { type Hole, holesOf, integerOf, isAnyValid, valuesOf } from './holes.ts';

/** Puts the values of holes, in their order, into a tree. */
type Fill = (values: readonly Filling[]) => Typed;

/** An expression that stands for all of the same text but for the content of some literals. */
export interface Form {
  /** The places of the literals that are the same in all of them. */
  readonly fixed: readonly number[];
  /** The expression of another text of the form. Undefined where a literal of it is not valid. */
  with(text: string): CompiledExpression | undefined;
}

/**
 * The form of an expression that compiled.
 * INVARIANT: an expression that the form makes is the one that compiling the text gives, spans included: parts without a hole lie at
 * the same places in every text of the form, so all of them share these parts.
 */
export function formOf(expression: CompiledExpression, bounds: readonly number[], options: CheckOptions): Form {
  const { typed } = expression;
  const found = [...holesOf(typed, expression.text, bounds, options)];
  const unchecked = found.filter(([, hole]) => isAnyValid(hole));
  const checked = found.filter(([, hole]) => !isAnyValid(hole));
  const holes = [...checked, ...unchecked];
  const open = new Set(holes.flatMap(([, { places }]) => places));
  const shared: Typed[] = [];
  const fill = fillOf(typed, new Map(holes.map(([node, hole], at) => [node, { hole, at }])), shared);
  const filling = (hole: Hole, text: string) =>
    hole.kind === 'texts' ? valuesOf(hole, text, bounds, options) : integerOf(hole, text, bounds);
  // Whoever looks at very many trees asks for each of them several times in a row.
  let last = { text: expression.text, tree: typed };
  const trees: Trees = {
    evaluators: new Map(shared.map((part) => [part, compileNode(part, expression.asks)])),
    treeOf(text, known) {
      if (fill === undefined) return typed;
      if (last.text !== text)
        last = { text, tree: fill([...known, ...unchecked.map(([, hole]) => filling(hole, text) as Filling)]) };
      return last.tree;
    },
  };
  return {
    fixed: [...Array(bounds.length / 2).keys()].filter((place) => !open.has(place)),
    with(text) {
      const known: Filling[] = [];
      for (const [, hole] of checked) {
        const value = filling(hole, text);
        if (value === undefined) return undefined;
        known.push(value);
      }
      return withLiterals(expression, text, trees, known);
    },
  };
}

/**
 * How a tree is made with other values. Undefined for a part without a hole, which stays as it is. The largest of these in a part that
 * has a hole are added to `shared`.
 */
function fillOf(
  node: Typed,
  holes: ReadonlyMap<Typed, { readonly hole: Hole; readonly at: number }>,
  shared: Typed[],
): Fill | undefined {
  const own = holes.get(node);
  const parts = partsOf(node);
  const fills = parts.map((part) => fillOf(part, holes, shared));
  if (own !== undefined || fills.some((fill) => fill !== undefined))
    shared.push(...parts.filter((_, place) => fills[place] === undefined));
  const inside: Fill | undefined = fills.every((fill) => fill === undefined)
    ? undefined
    : (values) =>
        withParts(
          node,
          parts.map((part, place) => fills[place]?.(values) ?? part),
        );
  if (own === undefined) return inside;
  const { hole, at } = own;
  const filled = (base: Typed, value: Filling | undefined) =>
    (hole.kind === 'texts' ? { ...base, values: value } : { ...base, value }) as Typed;
  return (values) => filled(inside?.(values) ?? node, values[at]);
}

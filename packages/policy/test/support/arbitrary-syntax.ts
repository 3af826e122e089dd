import fc from 'fast-check';
import type { Expression } from '../../src/syntax/ast.ts';

const span = { start: 0, end: 0 };

const identifier = fc
  .stringMatching(/^[a-zA-Z_][a-zA-Z0-9_]{0,6}$/)
  .filter((name) => !['in', 'true', 'false', 'and', 'AND', 'or', 'OR', 'not', 'NOT'].includes(name));

const text = fc.string({ unit: 'grapheme', maxLength: 8 }).filter((value) => !value.includes('\n'));

const atom: fc.Arbitrary<Expression> = fc.oneof(
  fc.boolean().map((value): Expression => ({ kind: 'boolean', value, span })),
  fc.bigInt({ min: -(2n ** 255n), max: 2n ** 256n - 1n }).map((value): Expression => ({ kind: 'integer', value, span })),
  fc
    .tuple(fc.bigInt({ min: 0n, max: 2n ** 200n }), fc.integer({ min: 0, max: 20 }), identifier)
    .map(([digits, places, unit]): Expression => ({ kind: 'quantity', digits, places, unit, unitSpan: span, span })),
  text.map((value): Expression => ({ kind: 'string', value, span })),
  identifier.map((name): Expression => ({ kind: 'name', name, span })),
);

/** Trees of every shape in the grammar, valid or not. */
export const arbitrarySyntax: fc.Arbitrary<Expression> = fc.letrec<{ tree: Expression }>((tie) => ({
  tree: fc.oneof({ depthSize: 'small', withCrossShrink: true }, atom, compound(tie('tree'))),
})).tree;

function compound(tree: fc.Arbitrary<Expression>): fc.Arbitrary<Expression> {
  const several = fc.array(tree, { minLength: 2, maxLength: 3 });
  const some = fc.array(tree, { maxLength: 3 });
  const operator = fc.constantFrom('==' as const, '!=' as const, '<' as const, '>' as const, '<=' as const, '>=' as const);
  return fc.oneof(
    some.map((items): Expression => ({ kind: 'list', items, span })),
    fc.tuple(tree, identifier).map(([base, name]): Expression => ({ kind: 'field', base, name, nameSpan: span, span })),
    fc.tuple(tree, tree).map(([base, index]): Expression => ({ kind: 'index', base, index, span })),
    fc.tuple(tree, tree, tree).map(([base, from, to]): Expression => ({ kind: 'slice', base, from, to, span })),
    fc.tuple(identifier, some).map(([name, args]): Expression => ({ kind: 'call', name, nameSpan: span, args, span })),
    fc
      .tuple(tree, identifier, some)
      .map(([base, name, args]): Expression => ({ kind: 'method', base, name, nameSpan: span, args, span })),
    tree.map((operand): Expression => ({ kind: 'not', operand, span })),
    tree.map((operand): Expression => ({ kind: 'negate', operand, span })),
    ...[['+', '-'] as const, ['*', '/'] as const].map((symbols) =>
      fc.tuple(several, fc.array(fc.constantFrom(...symbols), { minLength: 2, maxLength: 2 })).map(
        ([operands, operators]): Expression => ({
          kind: 'arithmetic',
          operands,
          operators: operators.slice(0, operands.length - 1),
          span,
        }),
      ),
    ),
    several.map((operands): Expression => ({ kind: 'and', operands, span })),
    several.map((operands): Expression => ({ kind: 'or', operands, span })),
    fc
      .tuple(operator, tree, tree)
      .map(([symbol, left, right]): Expression => ({ kind: 'compare', operator: symbol, left, right, span })),
    fc.tuple(tree, tree).map(([item, list]): Expression => ({ kind: 'in', item, list, span })),
  );
}

/** A tree without its spans, which formatting does not keep. */
export function withoutSpans(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSpans);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'span' && key !== 'nameSpan' && key !== 'unitSpan')
      .map(([key, each]) => [key, withoutSpans(each)]),
  );
}

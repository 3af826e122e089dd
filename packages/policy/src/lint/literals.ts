import { partsOf, type Scalar, type Typed } from '../check/typed.ts';
import { pathOf } from '../decide/index-key.ts';
import type { CompiledExpression } from '../expression.ts';
import { fieldOf } from './nodes.ts';

/** The literals of an expression. */
export interface Literals {
  /** Those that a fixed path, such as `wallet.id`, or a field of a record, such as `User.tags`, is compared with. */
  readonly comparedWith: ReadonlyMap<string, readonly Scalar[]>;
  /** All of them. */
  readonly all: readonly Scalar[];
}

const known = new WeakMap<CompiledExpression, Literals>();

/** The literals of an expression, to try requests with. An expression may depend on other values too. */
export function literalsOf(expression: CompiledExpression): Literals {
  const before = known.get(expression);
  if (before !== undefined) return before;
  const comparedWith = new Map<string, Scalar[]>();
  const all: Scalar[] = [];
  const visit = (node: Typed): void => {
    if (node.kind === 'constant') all.push(node.value);
    if (node.kind === 'oneOf' || node.kind === 'hasOneOf') {
      all.push(...node.values);
      const value = node.kind === 'oneOf' ? node.operand : node.list;
      for (const name of namesOf(value)) comparedWith.set(name, [...(comparedWith.get(name) ?? []), ...node.values]);
    }
    for (const part of partsOf(node)) visit(part);
  };
  visit(expression.typed);
  const found = { comparedWith, all };
  known.set(expression, found);
  return found;
}

function namesOf(node: Typed): readonly string[] {
  const field = fieldOf(node);
  return [...(node.kind === 'read' ? [pathOf(node)] : []), ...(field === undefined ? [] : [field])];
}

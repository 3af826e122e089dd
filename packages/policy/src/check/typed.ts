import type { Evaluation } from '../evaluate/evaluation.ts';
import type { EvaluationError } from '../evaluate/evaluation-error.ts';
import { effect } from '../schema/effects.ts';
import type { Namespace } from '../schema/namespace.ts';
import type { ArithmeticOperator } from '../syntax/ast.ts';
import type { Span } from '../syntax/span.ts';
import { type Type, t } from '../types.ts';
import type { PolicyValue } from '../value.ts';

/** The value of a literal. */
export type Scalar = boolean | bigint | string;

interface Node {
  readonly span: Span;
  readonly type: Type;
}

/**
 * A checked expression: names are resolved, literals are canonical, and every operation has its types.
 * A comparison with a literal is a set membership (`oneOf`, `hasOneOf`), because one literal may have several canonical texts.
 */
export type Typed =
  /** `unit` is the unit of the literal. Its value is in base units. `ids` are all CAIP-19 names of a named asset. */
  | (Node & { readonly kind: 'constant'; readonly value: Scalar; readonly unit?: string; readonly ids?: readonly string[] })
  | ReadNode
  | (Node & { readonly kind: 'variable'; readonly slot: number; readonly name: string })
  | (Node & { readonly kind: 'field'; readonly base: Typed; readonly name: string })
  | (Node & { readonly kind: 'index'; readonly base: Typed; readonly index: Typed })
  | (Node & { readonly kind: 'slice'; readonly base: Typed; readonly from: Typed; readonly to: Typed })
  | (Node & { readonly kind: 'list'; readonly items: readonly Typed[] })
  | (Node & { readonly kind: 'not'; readonly operand: Typed })
  | (Node & { readonly kind: 'and' | 'or'; readonly operands: readonly Typed[] })
  | OneOfNode
  | (Node & { readonly kind: 'equal'; readonly left: Typed; readonly right: Typed; readonly negated: boolean })
  | OrderNode
  | (Node & {
      readonly kind: 'hasOneOf';
      readonly list: Typed;
      readonly values: ReadonlySet<Scalar>;
      readonly integers?: QuotedIntegers;
    })
  | (Node & { readonly kind: 'member'; readonly item: Typed; readonly list: Typed })
  | (Node & {
      readonly kind: 'arithmetic';
      readonly operands: readonly Typed[];
      readonly operators: readonly ArithmeticOperator[];
    })
  | EachNode
  | SumNode
  | ApplyNode
  /** Whether a path has a value in the request. Never an error because it has none. */
  | (Node & { readonly kind: 'present'; readonly operand: Typed })
  | (Node & { readonly kind: 'invalid' });

/** A fixed path into a namespace. */
export interface ReadNode extends Node {
  readonly kind: 'read';
  readonly namespace: Namespace;
  readonly path: readonly string[];
  /** At a control: the names of the controls that must hold together with it, itself included. See `withControlsBeside`. */
  readonly beside?: readonly string[];
}

/** `operand == literal`, `operand in [literals]`, and their negations. */
export interface OneOfNode extends Node {
  readonly kind: 'oneOf';
  readonly operand: Typed;
  readonly values: ReadonlySet<Scalar>;
  readonly integers?: QuotedIntegers;
  readonly negated: boolean;
}

/**
 * The integers of quoted literals, for a dynamic value that is an integer. A DENY does not use them: there, comparing a text with an
 * integer is an error, and denies.
 */
export type QuotedIntegers = ReadonlySet<Scalar>;

/** `left < right` and the like. */
export interface OrderNode extends Node {
  readonly kind: 'order';
  readonly operator: '<' | '>' | '<=' | '>=';
  readonly left: Typed;
  readonly right: Typed;
}

/** The kind of a predicate over a list, for analyses. */
export type Quantifier =
  /** True when at least one element satisfies the predicate: more elements can only help. */
  | 'some'
  /** True when no element fails the predicate: true for an empty list. */
  | 'every'
  /** True when no element satisfies the predicate: true for an empty list. */
  | 'no'
  /** The elements that satisfy the predicate. */
  | 'select';

/** A predicate over the elements of a list. */
export interface EachNode extends Node {
  readonly kind: 'each';
  readonly quantifier: Quantifier;
  readonly list: Typed;
  readonly slot: number;
  readonly variable: string;
  readonly body: Typed;
  /** The result, from the elements that satisfy the predicate and from all of them. */
  readonly conclude: (kept: readonly PolicyValue[], elements: readonly PolicyValue[]) => PolicyValue;
}

/** The sum of an integer over the elements of a list. */
export interface SumNode extends Node {
  readonly kind: 'sumOf';
  readonly list: Typed;
  readonly slot: number;
  readonly variable: string;
  readonly body: Typed;
}

/** A builtin that computes its result from the values of its operands. */
export interface ApplyNode extends Node {
  readonly kind: 'apply';
  readonly operands: readonly Typed[];
  /** Namespaces that it reads in addition to its operands. */
  readonly reads: readonly Namespace[];
  /** `size`: the result is the number of elements of the one operand, a list. */
  readonly measures?: 'size';
  /** Steps of one evaluation, if it takes much longer than a comparison. */
  readonly cost?: number;
  /** The result. Errors of the operands are handled before it is called. */
  readonly apply: (operands: readonly PolicyValue[], evaluation: Evaluation) => PolicyValue | EvaluationError;
}

const noParts: readonly Typed[] = [];

/** The direct parts of a node, in the order of evaluation. A predicate comes after its list. */
export function partsOf(node: Typed): readonly Typed[] {
  switch (node.kind) {
    case 'constant':
    case 'read':
    case 'variable':
    case 'invalid':
      return noParts;
    case 'field':
      return [node.base];
    case 'index':
      return [node.base, node.index];
    case 'slice':
      return [node.base, node.from, node.to];
    case 'list':
      return node.items;
    case 'not':
    case 'oneOf':
    case 'present':
      return [node.operand];
    case 'and':
    case 'or':
      return node.operands;
    case 'equal':
    case 'order':
      return [node.left, node.right];
    case 'hasOneOf':
      return [node.list];
    case 'apply':
    case 'arithmetic':
      return node.operands;
    case 'member':
      return [node.item, node.list];
    case 'each':
    case 'sumOf':
      return [node.list, node.body];
  }
}

/** The node with each of its direct parts replaced. */
export function mapParts(node: Typed, change: (part: Typed) => Typed): Typed {
  switch (node.kind) {
    case 'constant':
    case 'read':
    case 'variable':
    case 'invalid':
      return node;
    case 'field':
      return { ...node, base: change(node.base) };
    case 'index':
      return { ...node, base: change(node.base), index: change(node.index) };
    case 'slice':
      return { ...node, base: change(node.base), from: change(node.from), to: change(node.to) };
    case 'list':
      return { ...node, items: node.items.map(change) };
    case 'not':
    case 'oneOf':
    case 'present':
      return { ...node, operand: change(node.operand) };
    case 'and':
    case 'or':
    case 'apply':
    case 'arithmetic':
      return { ...node, operands: node.operands.map(change) };
    case 'equal':
    case 'order':
      return { ...node, left: change(node.left), right: change(node.right) };
    case 'hasOneOf':
      return { ...node, list: change(node.list) };
    case 'member':
      return { ...node, item: change(node.item), list: change(node.list) };
    case 'each':
    case 'sumOf':
      return { ...node, list: change(node.list), body: change(node.body) };
  }
}

/** Whether the node or any of its parts satisfies the test. */
export function someNode(node: Typed, test: (node: Typed) => boolean): boolean {
  if (test(node)) return true;
  for (const part of partsOf(node)) if (someNode(part, test)) return true;
  return false;
}

/** Whether the node can have different values in a DENY and an ALLOW. */
export function dependsOnEffect(node: Typed): boolean {
  return someNode(
    node,
    (each) => each.kind === 'and' || each.kind === 'or' || ('integers' in each && each.integers !== undefined),
  );
}

/** The number of nodes. */
export function countNodes(node: Typed): number {
  let count = 1;
  for (const part of partsOf(node)) count += countNodes(part);
  return count;
}

/** The steps of evaluating every node once. */
export function stepsOf(node: Typed): number {
  let steps = node.kind === 'apply' ? (node.cost ?? 1) : 1;
  for (const part of partsOf(node)) steps += stepsOf(part);
  return steps;
}

/** The list that the node counts. Undefined if it counts nothing. */
export function measuredList(node: Typed): Typed | undefined {
  return node.kind === 'apply' && node.measures === 'size' ? node.operands[0] : undefined;
}

/**
 * Whether `&&` and `||` evaluate this operand even if an earlier operand decides.
 * SECURITY: fields of an effect that was not parsed are missing, and reading them is an error. `e.kind != 'TRANSFER' || e.amount < 5` must
 * not become true for an effect that was not parsed.
 */
export function isAlwaysAsked(operand: Typed): boolean {
  return someNode(operand, (node) => node.kind === 'field' && node.base.type === effect);
}

/** The operands of a top-level run of `&&`, including nested runs. Any other node is its only operand. */
export function conjunctsOf(node: Typed): readonly Typed[] {
  if (node.kind !== 'and') return [node];
  return node.operands.some(({ kind }) => kind === 'and') ? node.operands.flatMap(conjunctsOf) : node.operands;
}

/** A node with a mistake that was reported. It fits everywhere, so that one mistake gives one diagnostic. */
export function invalid(span: Span): Typed {
  return { kind: 'invalid', type: t.unknown, span };
}

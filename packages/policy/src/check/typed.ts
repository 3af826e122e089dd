import type { Span } from '../syntax/span.ts';
import type { CronSpan } from '../time/cron-span.ts';
import type { Type } from '../types.ts';

export type Scalar = boolean | bigint | string;

interface Node {
  readonly span: Span;
  readonly type: Type;
}

/**
 * A checked expression: names are resolved, literals are canonical, and every operation knows its types.
 * Comparisons with literals are set memberships (`oneOf`, `hasOneOf`), because one literal may stand for several canonical texts.
 */
export type Typed =
  | (Node & { readonly kind: 'constant'; readonly value: Scalar })
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
  | (Node & { readonly kind: 'hasOneOf'; readonly list: Typed; readonly values: ReadonlySet<Scalar> })
  | (Node & { readonly kind: 'member'; readonly item: Typed; readonly list: Typed })
  | EachNode
  | (Node & { readonly kind: 'count'; readonly list: Typed })
  | (Node & { readonly kind: 'cron'; readonly cron: CronSpan })
  | (Node & { readonly kind: 'invalid' });

/** A fixed path into a namespace. */
export interface ReadNode extends Node {
  readonly kind: 'read';
  readonly namespace: string;
  readonly path: readonly string[];
}

/** `operand == literal`, `operand in [literals]`, and their negations. */
export interface OneOfNode extends Node {
  readonly kind: 'oneOf';
  readonly operand: Typed;
  readonly values: ReadonlySet<Scalar>;
  readonly negated: boolean;
}

/** `left < right` and the like. */
export interface OrderNode extends Node {
  readonly kind: 'order';
  readonly operator: '<' | '>' | '<=' | '>=';
  readonly left: Typed;
  readonly right: Typed;
}

/** A list method with a predicate. */
export interface EachNode extends Node {
  readonly kind: 'each';
  readonly method: 'any' | 'all' | 'filter';
  readonly list: Typed;
  readonly slot: number;
  readonly variable: string;
  readonly body: Typed;
}

/** The direct parts of a node, in the order of evaluation; a predicate comes after its list. */
export function partsOf(node: Typed): readonly Typed[] {
  switch (node.kind) {
    case 'constant':
    case 'read':
    case 'variable':
    case 'cron':
    case 'invalid':
      return [];
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
      return [node.operand];
    case 'and':
    case 'or':
      return node.operands;
    case 'equal':
    case 'order':
      return [node.left, node.right];
    case 'hasOneOf':
    case 'count':
      return [node.list];
    case 'member':
      return [node.item, node.list];
    case 'each':
      return [node.list, node.body];
  }
}

/** Whether the node or any of its parts satisfies the test. */
export function someNode(node: Typed, test: (node: Typed) => boolean): boolean {
  return test(node) || partsOf(node).some((part) => someNode(part, test));
}

/** The number of nodes. */
export function countNodes(node: Typed): number {
  return partsOf(node).reduce((total, part) => total + countNodes(part), 1);
}

/** The operands of a top-level run of `&&`, nested ones included; the node itself when it is something else. */
export function conjunctsOf(node: Typed): readonly Typed[] {
  return node.kind === 'and' ? node.operands.flatMap(conjunctsOf) : [node];
}

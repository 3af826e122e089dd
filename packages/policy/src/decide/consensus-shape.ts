import { someNode, type Typed } from '../check/typed.ts';

/** A predicate of a list method, and the slot of its variable. */
export interface Predicate {
  readonly slot: number;
  readonly body: Typed;
}

/** A number of approvers (or credentials) that satisfy all predicates. */
export interface PeopleShape {
  readonly kind: 'people';
  readonly source: 'approvers' | 'credentials';
  readonly predicates: readonly Predicate[];
  readonly atLeast: bigint;
  readonly node: Typed;
}

/** A consensus as a requirement that more approvals can only help to meet. `fixed` does not depend on people. */
export type ConsensusShape =
  | { readonly kind: 'group'; readonly all: boolean; readonly parts: readonly ConsensusShape[]; readonly node: Typed }
  | PeopleShape
  | { readonly kind: 'fixed'; readonly node: Typed };

/**
 * The shape of a consensus, or undefined when it is not monotone: when an approval may also make it false, as with `!`, `all`,
 * `==` on a count, or a position in the list.
 */
export function consensusShape(node: Typed): ConsensusShape | undefined {
  if (!dependsOnPeople(node)) return { kind: 'fixed', node };
  if (node.kind === 'and' || node.kind === 'or') {
    const parts = node.operands.map(consensusShape);
    if (!parts.every((part) => part !== undefined)) return undefined;
    return { kind: 'group', all: node.kind === 'and', parts, node };
  }
  if (node.kind === 'each' && node.method === 'any') {
    const crowd = crowdOf(node.list);
    const monotone = consensusShape(node.body) !== undefined;
    if (crowd === undefined || !monotone) return undefined;
    return {
      kind: 'people',
      ...crowd,
      predicates: [...crowd.predicates, { slot: node.slot, body: node.body }],
      atLeast: 1n,
      node,
    };
  }
  return atLeastShape(node);
}

/** `crowd.count() >= n`, in any of the four ways to write it. */
function atLeastShape(node: Typed): ConsensusShape | undefined {
  if (node.kind !== 'order') return undefined;
  const flipped = node.operator === '<' || node.operator === '<=';
  const [counted, bound] = flipped ? [node.right, node.left] : [node.left, node.right];
  if (counted.kind !== 'count' || bound.kind !== 'constant' || typeof bound.value !== 'bigint') return undefined;
  const crowd = crowdOf(counted.list);
  const strict = node.operator === '<' || node.operator === '>';
  return crowd === undefined ? undefined : { kind: 'people', ...crowd, atLeast: bound.value + (strict ? 1n : 0n), node };
}

/** `approvers`, `credentials`, or a filter of these. */
function crowdOf(node: Typed): { source: 'approvers' | 'credentials'; predicates: readonly Predicate[] } | undefined {
  if (node.kind === 'read' && (node.namespace === 'approvers' || node.namespace === 'credentials')) {
    return { source: node.namespace, predicates: [] };
  }
  if (node.kind !== 'each' || node.method !== 'filter' || consensusShape(node.body) === undefined) return undefined;
  const crowd = crowdOf(node.list);
  return crowd === undefined ? undefined : { ...crowd, predicates: [...crowd.predicates, { slot: node.slot, body: node.body }] };
}

function dependsOnPeople(node: Typed): boolean {
  return someNode(node, (each) => each.kind === 'read' && (each.namespace === 'approvers' || each.namespace === 'credentials'));
}

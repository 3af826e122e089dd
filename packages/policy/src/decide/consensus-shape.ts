import { measuredList, someNode, type Typed } from '../check/typed.ts';
import { approvers, credentials } from '../schema/engine.ts';

/** A predicate of a list method, and the slot of its variable. */
export interface Predicate {
  readonly slot: number;
  readonly body: Typed;
}

/** At least a number of approvers (or credentials) that satisfy all predicates. */
export interface PeopleShape {
  readonly kind: 'people';
  readonly source: 'approvers' | 'credentials';
  readonly predicates: readonly Predicate[];
  readonly atLeast: bigint;
  readonly node: Typed;
}

/** A monotone consensus: more approvals can only help. A `fixed` part does not depend on people. */
export type ConsensusShape =
  | { readonly kind: 'group'; readonly all: boolean; readonly parts: readonly ConsensusShape[]; readonly node: Typed }
  | PeopleShape
  | { readonly kind: 'fixed'; readonly node: Typed };

/**
 * The shape of a consensus. Undefined if the consensus is not monotone: an approval may make it false, as with `!`, `all`, `==` on a count,
 * or a position in the list.
 */
export function consensusShape(node: Typed): ConsensusShape | undefined {
  if (!dependsOnPeople(node)) return { kind: 'fixed', node };
  if (node.kind === 'and' || node.kind === 'or') {
    const parts = node.operands.map(consensusShape);
    if (!parts.every((part) => part !== undefined)) return undefined;
    return { kind: 'group', all: node.kind === 'and', parts, node };
  }
  if (node.kind === 'each' && node.quantifier === 'some') {
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

/** `crowd.count() >= n`, in any of its four spellings. */
function atLeastShape(node: Typed): ConsensusShape | undefined {
  if (node.kind !== 'order') return undefined;
  const flipped = node.operator === '<' || node.operator === '<=';
  const [counted, bound] = flipped ? [node.right, node.left] : [node.left, node.right];
  const list = measuredList(counted);
  if (list === undefined || bound.kind !== 'constant' || typeof bound.value !== 'bigint') return undefined;
  const crowd = crowdOf(list);
  const strict = node.operator === '<' || node.operator === '>';
  return crowd === undefined ? undefined : { kind: 'people', ...crowd, atLeast: bound.value + (strict ? 1n : 0n), node };
}

/** `approvers`, `credentials`, or a filter of these. */
function crowdOf(node: Typed): { source: PeopleShape['source']; predicates: readonly Predicate[] } | undefined {
  const source = peopleOf(node);
  if (source !== undefined) return { source, predicates: [] };
  if (node.kind !== 'each' || node.quantifier !== 'select' || consensusShape(node.body) === undefined) return undefined;
  const crowd = crowdOf(node.list);
  return crowd === undefined ? undefined : { ...crowd, predicates: [...crowd.predicates, { slot: node.slot, body: node.body }] };
}

function dependsOnPeople(node: Typed): boolean {
  return someNode(node, (each) => peopleOf(each) !== undefined);
}

function peopleOf(node: Typed): PeopleShape['source'] | undefined {
  if (node.kind !== 'read') return undefined;
  return node.namespace === approvers ? 'approvers' : node.namespace === credentials ? 'credentials' : undefined;
}

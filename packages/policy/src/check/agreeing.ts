import { approvers, credentials } from '../schema/engine.ts';
import { credential, user } from '../schema/people.ts';
import { t } from '../types.ts';
import { conjunctsOf, type EachNode, mapParts, someNode, type Typed } from './typed.ts';

/** More than the slots that one predicate uses, because the depth of an expression bounds those. */
const SLOTS = 100;

/**
 * The consensus of an ALLOW in which `approvers.all(…)` decides who counts, instead of letting one other approval block all of them: each
 * run of `&&` with such a clause is about the approvers who satisfy it, and their credentials, and needs at least one of them.
 * INVARIANT: the result is true if and only if the original is true for the approvals that satisfy these clauses alone, and there is one.
 */
export function amongAgreeing(node: Typed): Typed {
  if (node.kind === 'or') return { ...node, operands: node.operands.map(amongAgreeing) };
  const clauses = conjunctsOf(node);
  const conditions = clauses.filter(isForAllApprovers);
  if (conditions.length === 0) return node;
  const agreeing = new Agreeing(conditions);
  const operands = clauses.map((clause) => (isForAllApprovers(clause) ? agreeing.exists(clause) : agreeing.within(clause)));
  return operands.length === 1 ? (operands[0] as Typed) : { kind: 'and', operands, type: t.bool, span: node.span };
}

/** `approvers.all(…)` with a predicate of one approver. */
function isForAllApprovers(node: Typed): node is EachNode {
  const isAll = node.kind === 'each' && node.quantifier === 'every';
  return isAll && node.list.kind === 'read' && node.list.namespace === approvers && !someNode(node.body, isOfPeople);
}

function isOfPeople(node: Typed): boolean {
  return node.kind === 'read' && (node.namespace === approvers || node.namespace === credentials);
}

class Agreeing {
  private readonly conditions: readonly EachNode[];

  constructor(conditions: readonly EachNode[]) {
    this.conditions = conditions;
  }

  /** Replaces a condition: an approver satisfies all of them. */
  exists(condition: EachNode): Typed {
    const { list, variable, slot, body, span } = condition;
    const others = this.conditions.filter((each) => each !== condition);
    const among = others.reduce((from, each) => select(from, each.slot, each.body, each.variable), list);
    return { kind: 'each', quantifier: 'some', conclude: isSome, list: among, variable, slot, body, type: t.bool, span };
  }

  /** A clause about those who satisfy all conditions. */
  within(node: Typed): Typed {
    if (node.kind !== 'read') return mapParts(node, (part) => this.within(part));
    if (node.namespace === approvers) return this.approvers(node);
    return node.namespace === credentials ? this.credentials(node) : node;
  }

  private approvers(all: Typed): Typed {
    return this.conditions.reduce((from, { body, variable, slot }, at) => {
      const shift = SLOTS * (at + 1);
      return select(from, slot + shift, shifted(body, shift), variable);
    }, all);
  }

  /** The credentials of approvers who satisfy all conditions. */
  private credentials(all: Typed & { kind: 'read' }): Typed {
    const { span } = all;
    const holder = SLOTS * (this.conditions.length + 1);
    const person = holder + 1;
    const field = (slot: number, type: typeof user.type, name: string): Typed => {
      const base: Typed = { kind: 'variable', slot, name: 'each', type, span };
      return { kind: 'field', base, name, type: t.string, span };
    };
    const [left, right] = [field(person, user.type, 'id'), field(holder, credential.type, 'user_id')];
    const body: Typed = { kind: 'equal', left, right, negated: false, type: t.bool, span };
    const read: Typed = { kind: 'read', namespace: approvers, path: [], type: approvers.type, span };
    const list = this.approvers(read);
    const holds: Typed = {
      kind: 'each',
      quantifier: 'some',
      conclude: isSome,
      list,
      variable: 'each',
      slot: person,
      body,
      type: t.bool,
      span,
    };
    return select(all, holder, holds, 'each');
  }
}

function select(list: Typed, slot: number, body: Typed, variable: string): Typed {
  const { type, span } = list;
  return { kind: 'each', quantifier: 'select', conclude: kept, list, variable, slot, body, type, span };
}

const isSome: EachNode['conclude'] = (found) => found.length > 0;
const kept: EachNode['conclude'] = (found) => found;

/** A predicate with its variables in other slots, so that it can be used inside others. */
function shifted(node: Typed, shift: number): Typed {
  const moved = mapParts(node, (part) => shifted(part, shift));
  return 'slot' in moved ? { ...moved, slot: moved.slot + shift } : moved;
}

import { conjunctsOf, countNodes, measuredList, type ReadNode, type Scalar, type Typed } from '../check/typed.ts';
import type { PolicyLimits } from '../limits.ts';
import type { CompiledPolicy } from '../policy.ts';
import { controlOf } from '../schema/controls.ts';
import { approvers } from '../schema/engine.ts';
import type { Namespace } from '../schema/namespace.ts';

/** A requirement that a request must meet for a policy to matter. */
export type IndexKey =
  /** A fixed path must have one of the values. `reads` are all paths whose errors would make the policy deny. */
  | {
      readonly kind: 'path';
      readonly path: string;
      readonly read: ReadNode;
      readonly values: ReadonlySet<Scalar>;
      readonly reads: readonly ReadNode[];
    }
  /** One of these users must be among the approvers. */
  | { readonly kind: 'approver'; readonly userIds: ReadonlySet<Scalar> }
  /** The request must have the namespace. */
  | { readonly kind: 'namespace'; readonly namespace: Namespace };

/** With more approvers, the index does not look up ids: evaluation could run out of steps, which the index cannot predict. */
export const MAX_INDEXED_APPROVERS = 250;

/**
 * The requirements that follow from the text of a policy.
 *
 * INVARIANT: a request that misses one of them gets the same decision with and without the policy.
 * - Namespace: the condition evaluates to NAMESPACE_ABSENT, so neither an ALLOW nor a DENY applies.
 * - Approver: the whole consensus is `approvers.any(u, u.id == …)`. It is false, so the policy does not apply. No approver contributes to
 *   it, so the request does not become pending for it either.
 * - Path of an ALLOW: a top-level conjunct is false or invalid, so the condition is false or in error. Both grant nothing.
 * - Path of a DENY: the condition is false or in error. SECURITY: an error would deny, and a DENY evaluates every part. So only a total
 *   condition gets such a key: one that fails only if one of its fixed paths is invalid. `reads` lists these paths, and the index evaluates
 *   the policy whenever one of them is invalid.
 */
export function indexKeys(policy: CompiledPolicy): readonly IndexKey[] {
  const keys: IndexKey[] = [];
  const { consensus } = policy;
  const userIds = consensus === undefined ? undefined : soleApprovers(consensus.typed, consensus.limits);
  if (userIds !== undefined) keys.push({ kind: 'approver', userIds });
  if (policy.condition === undefined) return keys;
  const { uses } = policy.condition;
  const typed = policy.condition.typed;
  const deny = policy.effect === 'EFFECT_DENY';
  const reads = deny ? totalReads(typed) : [];
  if (reads !== undefined) {
    for (const conjunct of conjunctsOf(typed)) {
      const found = equalityOf(conjunct);
      if (found === undefined) continue;
      const { read, values } = found;
      const path = pathOf(read);
      // The host looks up candidate policies before it reads the usage of controls. So a control cannot be a key.
      if (controlOf(path) === undefined) keys.push({ kind: 'path', path, read, values, reads });
    }
  }
  for (const { namespace } of uses) if (controlOf(namespace.path) === undefined) keys.push({ kind: 'namespace', namespace });
  return keys;
}

/** `path == literal`, `path in [literals]`, or an `||` of these over one path. */
export function equalityOf(node: Typed): { readonly read: ReadNode; readonly values: ReadonlySet<Scalar> } | undefined {
  if (node.kind === 'oneOf' && !node.negated && node.integers === undefined && node.operand.kind === 'read')
    return { read: node.operand, values: node.values };
  if (node.kind !== 'or') return undefined;
  const parts = node.operands.map(equalityOf);
  const first = parts[0];
  if (first === undefined || !parts.every((part) => part !== undefined && pathOf(part.read) === pathOf(first.read)))
    return undefined;
  return { read: first.read, values: new Set(parts.flatMap((part) => [...(part?.values ?? [])])) };
}

/** The dotted path of a read. */
export function pathOf({ namespace, path }: ReadNode): string {
  return path.length === 0 ? namespace.path : `${namespace.path}.${path.join('.')}`;
}

/** The fixed paths of an expression. Undefined if anything else in it can fail. */
function totalReads(node: Typed): readonly ReadNode[] | undefined {
  switch (node.kind) {
    case 'constant':
      return [];
    case 'read':
      return [node];
    case 'not':
    case 'oneOf':
      return totalReads(node.operand);
    case 'apply': {
      const list = measuredList(node);
      return list?.kind === 'read' ? [list] : undefined;
    }
    case 'and':
    case 'or':
      return joinReads(node.operands);
    case 'equal':
    case 'order':
      return joinReads([node.left, node.right]);
    default:
      return undefined;
  }
}

function joinReads(nodes: readonly Typed[]): readonly ReadNode[] | undefined {
  const all = nodes.map(totalReads);
  return all.some((reads) => reads === undefined) ? undefined : all.flatMap((reads) => reads ?? []);
}

/** The ids of the users who can each satisfy the consensus alone. Undefined if the consensus has any other requirement. */
export function soleApprovers(typed: Typed, limits: PolicyLimits): ReadonlySet<Scalar> | undefined {
  if (countNodes(typed) * MAX_INDEXED_APPROVERS > limits.steps) return undefined;
  return typed.kind === 'or' ? joinIds(typed.operands.map(idsOfPart)) : idsOfPart(typed);
}

function idsOfPart(part: Typed): ReadonlySet<Scalar> | undefined {
  const overApprovers =
    part.kind === 'each' && part.quantifier === 'some' && part.list.kind === 'read' && part.list.namespace === approvers;
  return overApprovers ? idsOf(part.body, part.slot) : undefined;
}

function idsOf(body: Typed, slot: number): ReadonlySet<Scalar> | undefined {
  if (body.kind === 'or') return joinIds(body.operands.map((operand) => idsOf(operand, slot)));
  if (body.kind !== 'oneOf' || body.negated) return undefined;
  const { operand } = body;
  const isId =
    operand.kind === 'field' && operand.name === 'id' && operand.base.kind === 'variable' && operand.base.slot === slot;
  return isId ? body.values : undefined;
}

function joinIds(parts: readonly (ReadonlySet<Scalar> | undefined)[]): ReadonlySet<Scalar> | undefined {
  return parts.every((part) => part !== undefined) ? new Set(parts.flatMap((part) => [...part])) : undefined;
}

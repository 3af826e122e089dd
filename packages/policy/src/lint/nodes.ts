import { partsOf, type ReadNode, type Typed } from '../check/typed.ts';
import { pathOf } from '../decide/index-key.ts';
import type { Type } from '../types.ts';

/** A node and all of its descendants. */
export function allNodes(node: Typed): readonly Typed[] {
  return [node, ...partsOf(node).flatMap(allNodes)];
}

/** The fixed paths that an expression reads anywhere. */
export function pathsRead(nodes: readonly Typed[]): readonly string[] {
  return nodes.flatMap((node) => (node.kind === 'read' ? [pathOf(node)] : []));
}

/** The record and the field that a node reads, such as `EthereumTransaction.data`. Undefined for other nodes. */
export function fieldOf(node: Typed): string | undefined {
  if (node.kind === 'field') return node.base.type.kind === 'struct' ? `${node.base.type.name}.${node.name}` : undefined;
  if (node.kind !== 'read' || node.path.length === 0) return undefined;
  const owner = ownerOf(node);
  return owner?.kind === 'struct' ? `${owner.name}.${node.path.at(-1)}` : undefined;
}

function ownerOf({ namespace, path }: ReadNode): Type | undefined {
  let type: Type | undefined = namespace.type;
  for (const name of path.slice(0, -1)) type = type?.kind === 'struct' ? type.fields[name]?.type : undefined;
  return type;
}

import type { Namespace } from '../schema/namespace.ts';
import { namespaces } from '../schema/schema.ts';
import type { PolicyField } from '../value.ts';

/** A group of namespaces (`eth`) or one of them (`eth.tx`). */
export interface ScopeNode {
  readonly path: string;
  readonly namespace?: Namespace;
  readonly children: ReadonlyMap<string, ScopeNode>;
}

/** The names that each field of a policy may use, as a tree by dotted path. */
export const scopes: Readonly<Record<PolicyField, ScopeNode>> = {
  condition: buildScope('condition'),
  consensus: buildScope('consensus'),
  time: buildScope('time'),
};

/** The fields of a policy whose expressions may use a name that is not known in this one. */
export function fieldOfName(name: string): PolicyField | undefined {
  return (Object.keys(scopes) as PolicyField[]).find((field) => scopes[field].children.has(name));
}

function buildScope(field: PolicyField): ScopeNode {
  return build(
    '',
    namespaces
      .filter((namespace) => namespace.field === field)
      .map((namespace) => ({ namespace, rest: namespace.path.split('.') })),
  );
}

function build(path: string, entries: readonly { namespace: Namespace; rest: readonly string[] }[]): ScopeNode {
  const own = entries.find(({ rest }) => rest.length === 0)?.namespace;
  const heads = new Set(entries.flatMap(({ rest }) => rest.slice(0, 1)));
  const children = new Map<string, ScopeNode>();
  for (const head of heads) {
    const below = entries
      .filter(({ rest }) => rest[0] === head)
      .map(({ namespace, rest }) => ({ namespace, rest: rest.slice(1) }));
    children.set(head, build(path === '' ? head : `${path}.${head}`, below));
  }
  return own === undefined ? { path, children } : { path, namespace: own, children };
}

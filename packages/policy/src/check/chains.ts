import { chainSchemas } from '../schema/chains.ts';
import type { Expression } from '../syntax/ast.ts';

/** CAIP-2 names of networks by the path of their id. */
const networkIds = new Map(
  chainSchemas.flatMap(({ networkIds }) => (networkIds?.paths ?? []).map((path) => [path, networkIds?.toNetwork] as const)),
);

/** The networks of namespaces whose transactions all belong to one network. */
const networkOfNamespace = new Map(
  chainSchemas.flatMap(({ network, namespaces }) => (network === undefined ? [] : namespaces.map(({ path }) => [path, network]))),
);

/**
 * The chains (CAIP-2) to which the operands of one `&&` restrict it. Undefined if they do not restrict it. On other chains the whole run is
 * false, so its other operands do not matter.
 */
export function chainsOf(operands: readonly Expression[]): ReadonlySet<string> | undefined {
  let chains: ReadonlySet<string> | undefined;
  for (const operand of operands) {
    const named = chainsNamed(operand);
    const before: ReadonlySet<string> | undefined = chains;
    if (named !== undefined) chains = before === undefined ? named : new Set([...named].filter((chain) => before.has(chain)));
  }
  return chains;
}

/**
 * The network of a namespace that an expression names anywhere. Requests of other networks lack the namespace, so the expression does not
 * apply to them. Undefined if it names none, or several, which no request has.
 */
export function chainsOfNamespaces(expression: Expression): ReadonlySet<string> | undefined {
  const found = new Set<string>();
  const visit = (part: unknown) => {
    if (Array.isArray(part)) part.forEach(visit);
    if (typeof part !== 'object' || part === null || !('kind' in part)) return;
    const network = networkOfNamespace.get(pathOf(part as Expression)?.join('.') ?? '');
    if (network !== undefined) found.add(network);
    Object.values(part).forEach(visit);
  };
  visit(expression);
  return found.size === 1 ? found : undefined;
}

function chainsNamed(operand: Expression): ReadonlySet<string> | undefined {
  if (operand.kind === 'compare' && operand.operator === '==') {
    const { left, right } = operand;
    return literalChains(left, [right]) ?? literalChains(right, [left]);
  }
  if (operand.kind === 'in' && operand.list.kind === 'list') return literalChains(operand.item, operand.list.items);
  if (operand.kind !== 'method') return undefined;
  const namespace = pathOf(operand.base)?.slice(0, 2).join('.') ?? '';
  const chain = networkOfNamespace.get(namespace);
  return chain === undefined ? undefined : new Set([chain]);
}

/** The chains that remain after a comparison with literals: of a chain id, or of the asset of an effect. */
function literalChains(subject: Expression, literals: readonly Expression[]): ReadonlySet<string> | undefined {
  const path = pathOf(subject);
  const toNetwork = networkIds.get(path?.join('.') ?? '');
  if (toNetwork === undefined && path?.at(-1) !== 'asset') return undefined;
  const chains = literals.map((literal) => {
    if (toNetwork !== undefined) return literal.kind === 'integer' ? toNetwork(literal.value) : undefined;
    return literal.kind === 'string' ? /^([^/]+)\//.exec(literal.value)?.[1] : undefined;
  });
  return chains.every((chain) => chain !== undefined) ? new Set(chains) : undefined;
}

function pathOf(expression: Expression): readonly string[] | undefined {
  if (expression.kind === 'name') return [expression.name];
  const base = expression.kind === 'field' ? pathOf(expression.base) : undefined;
  return base === undefined || expression.kind !== 'field' ? undefined : [...base, expression.name];
}

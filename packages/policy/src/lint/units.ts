import type { Typed } from '../check/typed.ts';
import type { CompiledPolicy } from '../policy.ts';
import type { ChainSchema } from '../schema/chain.ts';
import { chainSchemas, chains, coinUnits, isPathOf, networkPath } from '../schema/chains.ts';
import { allNodes, fieldOf, pathsRead } from './nodes.ts';
import type { PolicyWarning } from './warning.ts';

/** Fields that identify the token of an amount. */
const tokenFields = ['Payment.asset', 'Effect.asset', 'Effect.symbol', ...chainSchemas.flatMap((chain) => chain.tokenFields)];

/** Warns if an amount has a unit, but the policy does not ensure that the compared value has that unit. */
export function unitsWithoutAsset(policy: CompiledPolicy): readonly PolicyWarning[] {
  if (policy.condition === undefined) return [];
  const nodes = allNodes(policy.condition.typed);
  const fields = new Set(nodes.flatMap((node) => fieldOf(node) ?? []));
  const paths = pathsRead(nodes);
  const warned = new Set<string>();
  return nodes.flatMap((node): readonly PolicyWarning[] => {
    if (node.kind !== 'constant' || node.unit === undefined || warned.has(node.unit)) return [];
    const { unit, span } = node;
    const coin = coinUnits.get(unit);
    const named = fields.has('Effect.symbol') || (coin !== undefined && namesChain(nodes, chains[coin.chain]));
    const told =
      coin === undefined
        ? tokenFields.some((field) => fields.has(field))
        : named || paths.some((path) => isPathOf(chains[coin.chain], path));
    if (told) return [];
    warned.add(unit);
    const message = `nothing says that this amount is of ${unit}: the same number of another asset may be worth far more`;
    const help =
      coin === undefined
        ? `ask for \`tx.payments.all(p, p.asset == ${unit})\` as well`
        : `name the chain as well, for example with \`${networkPath(chains[coin.chain])}\``;
    const base = { code: 'UNIT_WITHOUT_ASSET', policyId: policy.id, field: 'condition', span, message, help } as const;
    return [{ ...base, example: { 'effects[0].symbol': 'another token', 'effects[0].amount': String(node.value) } }];
  });
}

/** Whether assets are named, and all of them are of one chain: then amounts and fees are of that chain too. */
function namesChain(nodes: readonly Typed[], { network, networkIds }: ChainSchema): boolean {
  const ids = nodes.flatMap((node) =>
    node.kind === 'oneOf' && ['Payment.asset', 'Effect.asset'].includes(fieldOf(node.operand) ?? '') ? [...node.values] : [],
  );
  const [prefix] = (network ?? networkIds?.toNetwork(1n))?.split(':') ?? [];
  return ids.length > 0 && ids.every((id) => prefix === undefined || String(id).startsWith(`${prefix}:`));
}

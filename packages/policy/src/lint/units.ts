import { coinUnits } from '../builtins/units.ts';
import type { CompiledPolicy } from '../policy.ts';
import { allNodes, fieldOf, pathsRead } from './nodes.ts';
import type { PolicyWarning } from './warning.ts';

/** Fields that say which token an amount is of. */
const tokenNames = [
  'Effect.asset',
  'Effect.symbol',
  'EthereumTransaction.to',
  'SolanaTokenTransfer.token_mint',
  'TronContract.contract_address',
  'Eip712Domain.verifying_contract',
];

const namespaceOf: Readonly<Record<string, string>> = { ethereum: 'eth', solana: 'solana', tron: 'tron', bitcoin: 'bitcoin' };

/** Warns when an amount is written in a unit, and nothing says that what it is compared with has that unit. */
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
    const named = ['Effect.asset', 'Effect.symbol'].some((field) => fields.has(field));
    const told =
      coin === undefined
        ? tokenNames.some((field) => fields.has(field))
        : named || paths.some((path) => path.startsWith(`${namespaceOf[coin.chain]}.`));
    if (told) return [];
    warned.add(unit);
    const message = `nothing says that this amount is of ${unit}: the same number of another asset may be worth far more`;
    const help =
      coin === undefined
        ? `ask for \`e.symbol == '${unit}'\` or \`e.asset == '…'\` as well`
        : `name the chain as well, for example with ${coin.chain === 'ethereum' ? '`eth.tx.chain_id`' : `\`${coin.chain}.tx\``}`;
    const base = { code: 'UNIT_WITHOUT_ASSET', policyId: policy.id, field: 'condition', span, message, help } as const;
    return [{ ...base, example: { 'effects[0].symbol': 'another token', 'effects[0].amount': String(node.value) } }];
  });
}

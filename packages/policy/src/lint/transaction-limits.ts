import type { CompiledPolicy } from '../policy.ts';
import type { ChainSchema } from '../schema/chain.ts';
import { chainSchemas, isPathOf, networkPath } from '../schema/chains.ts';
import { kindsOf } from '../schema/namespace.ts';
import { factsOf } from './facts.ts';
import { callNotChecked } from './gaps.ts';
import { allNodes, fieldOf, pathsRead } from './nodes.ts';
import type { PolicyWarning } from './warning.ts';

/** Something that an ALLOW on transactions should restrict: how to write it, and an example of a request that is otherwise allowed. */
interface Concern {
  readonly missing: string;
  readonly write: string;
  readonly example: Readonly<Record<string, string>>;
  readonly spoken: (names: readonly string[]) => boolean;
}

const SIGN_TRANSACTION = 'SIGN_TRANSACTION';
const FURTHER = 'what else it does';

const concerns: readonly Concern[] = [
  {
    missing: 'the fee',
    write: 'tx.max_fee <= …',
    example: { 'tx.max_fee': 'everything that the account has' },
    spoken: (names) => names.some((name) => /fee|gas_price|max_cost/.test(name)),
  },
  {
    missing: 'the chain',
    write: 'eth.tx.chain_id == 1',
    example: { 'eth.tx.chain_id': 'any other chain' },
    spoken: (names) =>
      names.some(
        (name) => name === 'Effect.asset' || name === 'Payment.asset' || chainSchemas.some((chain) => saysNetwork(chain, name)),
      ),
  },
  {
    missing: FURTHER,
    write: 'tx.understood',
    example: { 'tx.understood': 'false', 'effects[1].kind': 'UNKNOWN' },
    spoken: (names) =>
      names.some((name) => ['tx.fully_parsed', 'tx.understood', 'tx.is_payment', 'tx.payments', 'effects'].includes(name)),
  },
];

/** Warns if an ALLOW for transactions leaves something unrestricted that costs money. One warning lists everything. */
export function transactionLimits(policy: CompiledPolicy): readonly PolicyWarning[] {
  const { condition, effect } = policy;
  if (effect !== 'EFFECT_ALLOW' || condition === undefined) return [];
  const kinds = factsOf(condition.typed).among.get('activity.kind');
  const about = condition.uses.some(({ namespace }) => namespace.transaction === true);
  const elsewhere = condition.uses.some(({ namespace }) => kindsOf(namespace)?.has(SIGN_TRANSACTION) === false);
  if (elsewhere || !(kinds?.has(SIGN_TRANSACTION) ?? about)) return [];
  const nodes = allNodes(condition.typed);
  const feeKind = nodes.some(
    (node) => node.kind === 'oneOf' && fieldOf(node.operand) === 'Effect.kind' && node.values.has('FEE'),
  );
  const names = [...pathsRead(nodes), ...nodes.flatMap((node) => fieldOf(node) ?? []), ...(feeKind ? ['fee'] : [])];
  // Another warning already covers the call.
  const open = concerns.filter(({ spoken, missing }) => !spoken(names) && !(missing === FURTHER && callNotChecked(names)));
  if (open.length === 0) return [];
  const list = open.map(({ missing }) => missing);
  const written = open.map(({ write }) => `\`${write}\``).join(', ');
  return [
    {
      code: 'TRANSACTION_NOT_LIMITED',
      policyId: policy.id,
      field: 'condition',
      message: `it says nothing about ${list.length < 2 ? list.join('') : `${list.slice(0, -1).join(', ')} and ${list.at(-1)}`}`,
      help: `add ${written}`,
      example: Object.assign({}, ...open.map(({ example }) => example)),
    },
  ];
}

/** Whether a path restricts a policy to one chain: the id of the network, or any field of a chain without such ids. */
function saysNetwork(chain: ChainSchema, path: string): boolean {
  return chain.networkIds === undefined ? isPathOf(chain, path) : path === networkPath(chain);
}

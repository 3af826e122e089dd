import { type ActivityInput, ServiceError } from '@countersign/contract';
import { invalidField } from '../wire/refuse.ts';
import { atMost, type Fees, least, requireSuggestible } from './complete-transaction.ts';
import type { EthereumFacts } from './ethereum-node.ts';
import type { Sending } from './sending.ts';

/** The fees of the transaction to replace, in wei per unit of gas. */
export interface PaidFees {
  readonly maxFee: bigint;
  /** Undefined for a legacy transaction, whose fee is `maxFee`. */
  readonly priorityFee: bigint | undefined;
}

type Given = Pick<ActivityInput<'ethReplaceTransaction'>, 'maxFeePerGas' | 'maxPriorityFeePerGas'>;

const perMille = (fee: bigint, share: bigint) => (fee * share + 999n) / 1000n;
/** The lowest fee with which nodes replace a transaction: geth, Nethermind, Besu, Erigon and Reth ask for a tenth more. */
const enough = (fee: bigint) => greatest(perMille(fee, 1100n), fee + 1n);
const suggested = (fee: bigint) => greatest(perMille(fee, 1125n), fee + 1n);
const greatest = (a: bigint, b: bigint) => (a > b ? a : b);

/**
 * The fees of a replacement: those of the caller, or what the chain asks for and nodes accept. Throws if nodes would not accept them.
 * INVARIANT: at most what approvers saw.
 */
export function replacementFees(
  given: Given,
  paid: PaidFees,
  facts: Pick<EthereumFacts, 'baseFee' | 'priorityFee' | 'gasPrice'>,
  planned: Fees | undefined,
  { maxFeePerGas: suggestedAtMost }: Pick<Sending, 'maxFeePerGas'>,
): Fees {
  const wanted =
    paid.priorityFee === undefined ? legacyFee(given, paid, facts) : marketFee(given, paid.maxFee, paid.priorityFee, facts);
  if (given.maxFeePerGas === undefined && planned === undefined) requireSuggestible(wanted, suggestedAtMost);
  const fees = atMost(wanted, planned);
  requireEnough('maxFeePerGas', fees.maxFeePerGas, paid.maxFee, given);
  if (paid.priorityFee !== undefined)
    requireEnough('maxPriorityFeePerGas', fees.maxPriorityFeePerGas ?? '0', paid.priorityFee, given);
  return fees;
}

function legacyFee(
  { maxFeePerGas, maxPriorityFeePerGas }: Given,
  { maxFee }: PaidFees,
  { gasPrice }: Pick<EthereumFacts, 'gasPrice'>,
): Fees {
  if (maxPriorityFeePerGas !== undefined)
    throw invalidField('maxPriorityFeePerGas', 'must be absent: the transaction to replace has no priority fee');
  return { maxFeePerGas: maxFeePerGas ?? `${greatest(suggested(maxFee), gasPrice)}` };
}

function marketFee(
  { maxFeePerGas, maxPriorityFeePerGas }: Given,
  maxFee: bigint,
  priorityFee: bigint,
  facts: Pick<EthereumFacts, 'baseFee' | 'priorityFee'>,
): Fees {
  const tip = maxPriorityFeePerGas ?? `${greatest(suggested(priorityFee), facts.priorityFee)}`;
  const fee = maxFeePerGas ?? `${greatest(suggested(maxFee), (facts.baseFee ?? 0n) * 2n + BigInt(tip))}`;
  if (maxPriorityFeePerGas !== undefined && BigInt(tip) > BigInt(fee))
    throw invalidField('maxPriorityFeePerGas', 'must be at most maxFeePerGas');
  return { maxFeePerGas: fee, maxPriorityFeePerGas: least(tip, fee) };
}

function requireEnough(name: 'maxFeePerGas' | 'maxPriorityFeePerGas', fee: string, paid: bigint, given: Given): void {
  const needed = enough(paid);
  if (BigInt(fee) >= needed) return;
  if (given[name] !== undefined)
    throw invalidField(name, `must be at least ${needed}: nodes replace a transaction only if its fees rise by a tenth`);
  throw new ServiceError(
    'PRECONDITION_FAILED',
    `Nodes replace the transaction from a ${name} of ${needed} wei, and at most ${fee} is allowed here. Nothing was signed. Send another request with higher fees.`,
  );
}

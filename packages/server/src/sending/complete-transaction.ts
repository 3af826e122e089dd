import { type ActivityInput, ServiceError } from '@countersign/contract';
import type { CompletedEthTransaction } from '@countersign/judgement';
import { invalidField } from '../wire/refuse.ts';
import { nextNonce } from './assign-nonce.ts';
import type { EthereumFacts } from './ethereum-node.ts';
import { waitsForTopUp } from './send-record.ts';
import type { Sending, SendingAccount } from './sending.ts';

type EthParams = ActivityInput<'ethSendTransaction'>;
export type Fees = Pick<CompletedEthTransaction, 'maxFeePerGas' | 'maxPriorityFeePerGas'>;

/**
 * Fills in nonce, gas and fees. `planned` is what approvers saw, if the activity was pending.
 * INVARIANT: what the caller gave stays as it is, and nothing exceeds what was planned: the gas limit is the same, and the fees are at most
 * those. So a decision on the planned transaction covers the cost of this one.
 */
export function completeTransaction(
  params: EthParams,
  facts: EthereumFacts,
  { account, active }: SendingAccount,
  planned: CompletedEthTransaction | undefined,
  { maxFeePerGas: suggestedAtMost }: Pick<Sending, 'maxFeePerGas'>,
): Omit<CompletedEthTransaction, 'from'> {
  const { caip2, to, value = '0', data = '0x' } = params;
  const nonce = nextNonce(facts, account?.floor ?? 0, active);
  if (params.nonce !== undefined && params.nonce !== `${nonce}`)
    throw invalidField('nonce', `is not the next one of the account, which is ${nonce}. Omit it: the service assigns nonces`);
  const gasLimit = params.gasLimit ?? planned?.gasLimit ?? `${facts.gas}`;
  const fees = facts.baseFee === undefined ? legacyFees(params, facts) : marketFees(params, facts, facts.baseFee);
  if (params.maxFeePerGas === undefined && planned === undefined) requireSuggestible(fees, suggestedAtMost);
  return { caip2, to, value, data, nonce: `${nonce}`, gasLimit, ...atMost(fees, planned) };
}

/** Throws if the service would fill in a fee that is higher than it may suggest. */
export function requireSuggestible({ maxFeePerGas }: Fees, suggestedAtMost: bigint): void {
  if (BigInt(maxFeePerGas) <= suggestedAtMost) return;
  throw new ServiceError(
    'PRECONDITION_FAILED',
    `The chain asks for a fee of ${maxFeePerGas} wei per gas, and this server suggests at most ${suggestedAtMost} (sendMaxFeeGwei). Give maxFeePerGas to pay more.`,
  );
}

export const least = (a: string, b: string) => (BigInt(a) < BigInt(b) ? a : b);

/** Fees that are at most those that approvers saw. */
export function atMost(fees: Fees, planned: Fees | undefined): Fees {
  if (planned === undefined) return fees;
  const maxFeePerGas = least(fees.maxFeePerGas, planned.maxFeePerGas);
  const { maxPriorityFeePerGas } = fees;
  if (maxPriorityFeePerGas === undefined) return { maxFeePerGas };
  return {
    maxFeePerGas,
    maxPriorityFeePerGas: least(least(maxPriorityFeePerGas, planned.maxPriorityFeePerGas ?? '0'), maxFeePerGas),
  };
}

function legacyFees({ maxFeePerGas, maxPriorityFeePerGas }: EthParams, { gasPrice }: EthereumFacts): Fees {
  if (maxPriorityFeePerGas !== undefined)
    throw invalidField('maxPriorityFeePerGas', 'must be absent: this chain has no priority fees');
  return { maxFeePerGas: maxFeePerGas ?? `${(gasPrice * 5n) / 4n}` };
}

function marketFees({ maxFeePerGas, maxPriorityFeePerGas }: EthParams, { priorityFee }: EthereumFacts, baseFee: bigint): Fees {
  // Room for six full blocks in a row, each of which raises the base fee by an eighth.
  const fee = maxFeePerGas ?? `${baseFee * 2n + BigInt(maxPriorityFeePerGas ?? priorityFee)}`;
  const tip = maxPriorityFeePerGas ?? least(`${priorityFee}`, fee);
  if (BigInt(tip) > BigInt(fee)) throw invalidField('maxPriorityFeePerGas', 'must be at most maxFeePerGas');
  return { maxFeePerGas: fee, maxPriorityFeePerGas: tip };
}

/** The most that a transaction can take from its account, in wei. */
export function maxCostOf({
  value,
  gasLimit,
  maxFeePerGas,
}: Pick<CompletedEthTransaction, 'value' | 'gasLimit' | 'maxFeePerGas'>): bigint {
  return BigInt(value) + BigInt(gasLimit) * BigInt(maxFeePerGas);
}

/** Nodes keep about as many waiting transactions of an account. */
const MAX_WAITING = 64;

/** SECURITY: D754: each transaction without a block costs requests to nodes until it has one, and other tenants share them. */
export function requireRoom({ active }: SendingAccount): void {
  const waiting = active.filter(({ state, replaces }) => state !== 'INCLUDED' && replaces === undefined).length;
  if (waiting < MAX_WAITING) return;
  throw new ServiceError(
    'LIMIT_EXCEEDED',
    `The account has ${waiting} transactions that are in no block yet, and at most ${MAX_WAITING} can wait. Nothing was sent.`,
  );
}

/** What an account owes at most for transactions that are not in a block yet. */
function promisedBy(active: SendingAccount['active']): bigint {
  // Of transactions that replace each other, one is executed.
  const costs = new Map<number, bigint>();
  for (const { state, nonce, maxCost: text } of active) {
    const cost = BigInt(text ?? '0');
    if (state !== 'INCLUDED' && cost > (costs.get(nonce) ?? 0n)) costs.set(nonce, cost);
  }
  return [...costs.values()].reduce((sum, cost) => sum + cost, 0n);
}

/** Throws if the account cannot pay for a transaction and for those that are not in a block yet. */
export function requireFunds(
  maxCost: bigint,
  { balance }: Pick<EthereumFacts, 'balance'>,
  active: SendingAccount['active'],
): void {
  const waiting = promisedBy(active);
  if (waiting + maxCost <= balance) return;
  throw new ServiceError(
    'PRECONDITION_FAILED',
    `The account has ${balance} wei. This transaction can cost ${maxCost} wei, and ${waiting} wei are promised to earlier ones. Nothing was sent.`,
  );
}

/**
 * What the account lacks for the highest fee of a sponsored transaction, in wei. Throws if it does not hold the amount itself.
 * INVARIANT: D912: what the account holds counts, and so do its earlier transactions. So a sponsor pays at most the fee, and what an earlier
 * top-up left is used first.
 */
export function missingFee(
  completed: Pick<CompletedEthTransaction, 'value' | 'gasLimit' | 'maxFeePerGas'>,
  balance: bigint,
  active: SendingAccount['active'],
): bigint {
  const other = active.find(waitsForTopUp);
  if (other !== undefined)
    throw new ServiceError(
      'PRECONDITION_FAILED',
      `The account waits for what its sponsor pays for the transaction ${other.id}. Nothing was signed. Send this one when that one is out.`,
    );
  const value = BigInt(completed.value);
  const own = balance - promisedBy(active);
  if (own < value)
    throw new ServiceError(
      'PRECONDITION_FAILED',
      `The account has ${balance} wei, of which ${balance - own} are promised to earlier transactions, and it sends ${value} wei. The sponsor pays for the fee only, so the account must hold the amount itself. Nothing was signed.`,
    );
  const missing = maxCostOf(completed) - own;
  return missing > 0n ? missing : 0n;
}

import type { Account } from '../sign/account.ts';
import { type AmountProblem, readAmount } from './amount.ts';
import type { Draft } from './draft.ts';
import type { PaidAsset, Payment } from './payment.ts';
import { paymentChainOf } from './payment-chains.ts';

export type ReceiverProblem = 'badRecipient' | 'zeroRecipient' | 'contractRecipient' | 'ownRecipient';

interface Around {
  readonly account: Pick<Account, 'address'>;
  readonly network: string;
  readonly asset: PaidAsset;
}

/** Why an address cannot be paid. */
export function receiverProblem(text: string, { account, network, asset }: Around): ReceiverProblem | undefined {
  const chain = paymentChainOf(network);
  const to = chain.readReceiver(text, network);
  const isSame = (other: string | undefined) => other !== undefined && chain.readReceiver(other, network) === to;
  if (to === undefined) return 'badRecipient';
  if (isSame(asset.contract)) return 'contractRecipient';
  if (isSame(account.address)) return 'ownRecipient';
  return chain.isNobody(to, asset) ? 'zeroRecipient' : undefined;
}

/** The payment of a draft. Undefined while something is missing or wrong. */
export function paymentOf<Fees>(draft: Draft, fees: Fees | undefined, around: Around): Payment<Fees> | undefined {
  const { account, network, asset } = around;
  const { readReceiver, hasMemo } = paymentChainOf(network);
  const amount = readAmount(draft.amount, asset.decimals);
  const to = readReceiver(draft.recipient, network);
  if (typeof amount !== 'bigint' || to === undefined || fees === undefined) return undefined;
  if (receiverProblem(draft.recipient, around) !== undefined) return undefined;
  const memo = hasMemo ? draft.memo.trim() : '';
  return { from: account.address, network, to, asset, amount, fees, ...(memo !== '' && { memo }) };
}

/** Why the typed amount cannot be paid. Undefined while nothing is typed. */
export function amountProblem(text: string, { decimals }: PaidAsset): AmountProblem | undefined {
  if (text.trim() === '') return undefined;
  const amount = readAmount(text, decimals);
  return typeof amount === 'bigint' ? undefined : amount;
}

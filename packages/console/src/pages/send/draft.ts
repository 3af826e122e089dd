import type { OutputOf } from '@countersign/client';
import type { Queries } from '@countersign/contract';
import type { Account } from '../sign/account.ts';
import { type AmountProblem, readAmount } from './amount.ts';
import { type Fees, type PaidAsset, type Payment, readReceiver } from './ethereum-payment.ts';

type Suggestion = OutputOf<Queries['getFeeSuggestion']>['suggestions'][number];
export type Speed = Suggestion['speed'] | 'OWN';

/** What a person typed. */
export interface Draft {
  readonly recipient: string;
  readonly assetId: string | undefined;
  readonly amount: string;
  readonly speed: Speed;
  readonly maxFee: string;
  readonly priorityFee: string;
  readonly gasLimit: string;
  readonly nonce: string;
  readonly reference: string;
}

export const emptyDraft: Draft = {
  ...{ recipient: '', assetId: undefined, amount: '', speed: 'NORMAL' },
  ...{ maxFee: '', priorityFee: '', gasLimit: '', nonce: '', reference: '' },
};

const ZERO = `0x${'0'.repeat(40)}`;
const GWEI_DECIMALS = 9;
/** SECURITY: D963: a suggestion of the service above this is not taken, and nothing above it can be typed. */
export const MOST_GWEI = 500n;

export type ReceiverProblem = 'badRecipient' | 'zeroRecipient' | 'contractRecipient' | 'ownRecipient';

/** Why an address cannot be paid. */
export function receiverProblem(
  text: string,
  asset: PaidAsset,
  { address }: Pick<Account, 'address'>,
): ReceiverProblem | undefined {
  const to = readReceiver(text);
  if (to === undefined) return 'badRecipient';
  if (to === ZERO) return 'zeroRecipient';
  if (to.toLowerCase() === asset.contract?.toLowerCase()) return 'contractRecipient';
  return to.toLowerCase() === address.toLowerCase() ? 'ownRecipient' : undefined;
}

/** Gas for a transfer, also to a contract with a short receive function. Unused gas is not paid. */
export const usualGas = ({ contract }: Pick<PaidAsset, 'contract'>): string => (contract === undefined ? '60000' : '150000');

/** The fees of a draft: those of the chosen speed, or the typed ones. Undefined while they are incomplete or too high. */
export function feesOf(draft: Draft, asset: PaidAsset, suggestions: readonly Suggestion[] | undefined): Fees | undefined {
  const gasLimit = draft.gasLimit.trim() === '' ? usualGas(asset) : draft.gasLimit.trim();
  if (!/^[1-9]\d{4,7}$/.test(gasLimit)) return undefined;
  const suggested = suggestions?.find(({ speed }) => speed === draft.speed);
  const most = suggested?.maxFeePerGas === undefined ? wei(draft.maxFee) : BigInt(suggested.maxFeePerGas);
  // A chain without a base fee has one price. It is the whole fee for the validator.
  const given = suggested === undefined ? wei(draft.priorityFee) : BigInt(suggested.maxPriorityFeePerGas ?? most ?? 0n);
  if (most === undefined || given === undefined || most === 0n || given > most) return undefined;
  if (isTooHigh(most)) return undefined;
  return { gasLimit, maxFeePerGas: most.toString(), maxPriorityFeePerGas: given.toString() };
}

export const isTooHigh = (maxFeePerGas: bigint): boolean => maxFeePerGas > MOST_GWEI * 10n ** BigInt(GWEI_DECIMALS);

/** An amount of gwei in wei. */
export function wei(text: string): bigint | undefined {
  const amount = readAmount(text, GWEI_DECIMALS);
  if (amount === 'zero') return 0n;
  return typeof amount === 'bigint' ? amount : undefined;
}

interface Around {
  readonly account: Account;
  readonly network: string;
  readonly asset: PaidAsset;
  readonly fees: Fees | undefined;
}

/** The payment of a draft. Undefined while something is missing or wrong. */
export function paymentOf(draft: Draft, { account, network, asset, fees }: Around): Payment | undefined {
  const amount = readAmount(draft.amount, asset.decimals);
  const to = readReceiver(draft.recipient);
  if (typeof amount !== 'bigint' || to === undefined || fees === undefined) return undefined;
  if (receiverProblem(draft.recipient, asset, account) !== undefined) return undefined;
  return { from: account.address, network, to, asset, amount, fees };
}

/** Why the typed amount cannot be paid. Undefined while nothing is typed. */
export function amountProblem(text: string, { decimals }: PaidAsset): AmountProblem | undefined {
  if (text.trim() === '') return undefined;
  const amount = readAmount(text, decimals);
  return typeof amount === 'bigint' ? undefined : amount;
}

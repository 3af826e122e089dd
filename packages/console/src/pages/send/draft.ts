import type { OutputOf } from '@countersign/client';
import type { Queries } from '@countersign/contract';
import { readAmount } from './amount.ts';

/** A fee that the service suggests. */
export type Suggestion = OutputOf<Queries['getFeeSuggestion']>['suggestions'][number];
export type Speed = Suggestion['speed'] | 'OWN';

/** What a person typed. */
export interface Draft {
  readonly recipient: string;
  readonly assetId: string | undefined;
  readonly amount: string;
  readonly speed: Speed;
  /** Of EVM chains, in gwei. */
  readonly maxFee: string;
  readonly priorityFee: string;
  readonly gasLimit: string;
  readonly nonce: string;
  /** Of the other chains, in the unit of its field. */
  readonly ownFee: string;
  /** On Bitcoin: transactions that paid the account, in hexadecimal. */
  readonly coins: string;
  readonly memo: string;
  readonly reference: string;
}

export const emptyDraft: Draft = {
  ...{ recipient: '', assetId: undefined, amount: '', speed: 'NORMAL' },
  ...{ maxFee: '', priorityFee: '', gasLimit: '', nonce: '', ownFee: '', coins: '', memo: '', reference: '' },
};

/** The suggestion of the chosen speed. Undefined if the person sets the fee. */
export const suggestedFor = ({ speed }: Draft, suggestions: readonly Suggestion[] | undefined): Suggestion | undefined =>
  suggestions?.find((each) => each.speed === speed);

/** An amount of a fee field in base units. */
export function feeAmount(text: string, decimals: number): bigint | undefined {
  const amount = readAmount(text, decimals);
  if (amount === 'zero') return 0n;
  return typeof amount === 'bigint' ? amount : undefined;
}

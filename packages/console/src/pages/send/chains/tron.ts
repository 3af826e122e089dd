import { addressFormats, ChainError, tronPayment } from '@countersign/chains';
import { COIN_FEE, MEMO_FEE, MOST_FEE_LIMIT } from '../../../data/highest-fees.ts';
import { type Draft, feeAmount, type Suggestion, suggestedFor } from '../draft.ts';
import type { PaidAsset } from '../payment.ts';
import type { PaymentChain } from '../payment-chain.ts';

export interface TronFees {
  /** The most that a transfer of a token may burn for energy, in sun. */
  readonly feeLimit: string;
}

const NETWORK = 'tron:0x2b6653dc';
/** The address of 20 zero bytes. */
const ZERO = 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb';
const TRX_DECIMALS = 6;
/** Energy of a transfer to a receiver that never had the token, and some more. */
const TOKEN_ENERGY = 150_000n;

/** Payments on Tron: TRX, and TRC-20 tokens. */
export const tronPayments: PaymentChain<TronFees> = {
  networksOf: (addressFormat) => (addressFormat === 'ADDRESS_FORMAT_TRON' ? [NETWORK] : []),
  readReceiver(text) {
    try {
      return addressFormats.ADDRESS_FORMAT_TRON.normalize(text.trim());
    } catch (error) {
      if (error instanceof ChainError) return undefined;
      throw error;
    }
  },
  isNobody: (to) => to === ZERO,
  feesOf,
  build({ from, network, to, asset, amount, fees, memo }, { idempotencyKey, timestampMs }) {
    const order = { from, to, asset: asset.id, decimals: asset.decimals, amount };
    const options = { timestampMs, feeLimit: BigInt(fees.feeLimit), ...(memo !== undefined && { memo }) };
    const parameters = { signWith: from, caip2: network, unsignedTransaction: tronPayment(order, options), idempotencyKey };
    return { type: 'ACTIVITY_TYPE_TRON_SEND_TRANSACTION', parameters };
  },
  mostFee: ({ asset, fees, memo }) =>
    COIN_FEE + (memo === undefined ? 0n : MEMO_FEE) + (asset.contract === undefined ? 0n : BigInt(fees.feeLimit)),
  hasMemo: true,
  sends: 'tronSendTransaction',
  withoutNode: 'PASTED',
};

/** The fees of a draft. Only the energy of a token has a limit to choose. */
function feesOf(draft: Draft, { contract }: PaidAsset, suggestions: readonly Suggestion[] | undefined): TronFees | undefined {
  if (contract === undefined) return { feeLimit: '0' };
  const price = suggestedFor(draft, suggestions)?.energyPrice;
  const limit = price === undefined ? feeAmount(draft.ownFee, TRX_DECIMALS) : feeLimitAt(price);
  return limit === undefined || limit === 0n || limit > MOST_FEE_LIMIT ? undefined : { feeLimit: limit.toString() };
}

/** The limit for a transfer of a token at a price of energy, in sun. */
export const feeLimitAt = (energyPrice: string): bigint => TOKEN_ENERGY * BigInt(energyPrice);

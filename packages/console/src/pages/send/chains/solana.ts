import { addressFormats, ChainError, isSolanaKey, solanaPayment } from '@countersign/chains';
import { MOST_PRIORITY, SIGNATURE_FEE } from '../../../data/highest-fees.ts';
import { type Draft, feeAmount, type Suggestion, suggestedFor } from '../draft.ts';
import type { PaidAsset } from '../payment.ts';
import type { PaymentChain } from '../payment-chain.ts';

/** The price of priority, and the compute units that it is paid for. */
export interface SolanaFees {
  /** In millionths of a lamport. */
  readonly unitPrice: string;
  readonly units: number;
}

const NETWORK = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const SYSTEM_PROGRAM = '1'.repeat(32);
const SOL_DECIMALS = 9;
const MICRO = 1_000_000n;
/** Compute units of a transfer of SOL. One of a token may search the address of a new account, and a memo is read character by character. */
const UNITS = { coin: 10_000, token: 120_000, memo: 80_000 };

/** Payments on Solana: SOL, and tokens of the Token program. */
export const solanaPayments: PaymentChain<SolanaFees> = {
  networksOf: (addressFormat) => (addressFormat === 'ADDRESS_FORMAT_SOLANA' ? [NETWORK] : []),
  readReceiver(text) {
    try {
      return addressFormats.ADDRESS_FORMAT_SOLANA.normalize(text.trim());
    } catch (error) {
      if (error instanceof ChainError) return undefined;
      throw error;
    }
  },
  // A token account is no wallet: tokens that are paid to it as to a wallet are lost.
  isNobody: (to, { contract }) => to === SYSTEM_PROGRAM || (contract !== undefined && !isSolanaKey(to)),
  feesOf,
  build({ from, network, to, asset, amount, fees, memo }, { idempotencyKey }) {
    const order = { from, to, asset: asset.id, decimals: asset.decimals, amount };
    const unitPrice = BigInt(fees.unitPrice);
    const unsignedTransaction = solanaPayment(order, {
      createsAccount: asset.contract !== undefined,
      ...(memo !== undefined && { memo }),
      ...(unitPrice > 0n && { priority: { unitPrice, units: fees.units } }),
    });
    const parameters = { signWith: from, caip2: network, unsignedTransaction, idempotencyKey };
    return { type: 'ACTIVITY_TYPE_SOL_SEND_TRANSACTION', parameters };
  },
  mostFee: ({ fees }) => SIGNATURE_FEE + priorityOf(fees),
  hasMemo: true,
  sends: 'solSendTransaction',
  withoutNode: 'PASTED',
};

/** The fee for priority, in lamports. */
export const priorityOf = ({ unitPrice, units }: SolanaFees): bigint => (BigInt(unitPrice) * BigInt(units) + MICRO - 1n) / MICRO;

/** The compute units of the payment of a draft. */
export const solanaUnits = ({ memo }: Draft, { contract }: PaidAsset): number =>
  (contract === undefined ? UNITS.coin : UNITS.token) + (memo.trim() === '' ? 0 : UNITS.memo);

/** The fees of a draft. A person types the whole fee for priority. */
function feesOf(draft: Draft, asset: PaidAsset, suggestions: readonly Suggestion[] | undefined): SolanaFees | undefined {
  const units = solanaUnits(draft, asset);
  const suggested = suggestedFor(draft, suggestions)?.computeUnitPrice;
  const typed = feeAmount(draft.ownFee, SOL_DECIMALS);
  if (suggested === undefined && typed === undefined) return undefined;
  const unitPrice = suggested ?? `${((typed as bigint) * MICRO) / BigInt(units)}`;
  const fees = { unitPrice, units };
  return priorityOf(fees) > MOST_PRIORITY ? undefined : fees;
}

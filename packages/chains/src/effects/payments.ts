import { chainOfAsset } from '../chains.ts';
import type { ParsedTransaction } from '../transaction.ts';
import type { Effect } from './effect.ts';

/** An amount of a coin or a fungible token that leaves the signer. Addresses have the form of effects. */
export interface Payment {
  /** The CAIP-19 name of the asset. */
  readonly asset: string;
  /** In base units. */
  readonly amount: bigint;
  readonly from: string;
  readonly to: string;
}

/**
 * The payments of a transaction. Undefined if it is not a payment.
 *
 * INVARIANT: the result lists everything that the signature does apart from the fee, each payment leaves an address of the signer, and at
 * least one of them gives something to another address.
 * SECURITY: any other effect makes it undefined. A memo is one of them: it can decide whose account at the receiver is
 * credited. A REPLAYABLE effect is another: the signature is then not bound to one chain and one use.
 */
export function paymentsOf({ effects, fullyParsed, signer }: PaymentSource): readonly Payment[] | undefined {
  if (!fullyParsed || signer === undefined) return undefined;
  const payments: Payment[] = [];
  for (const effect of effects) {
    if (effect.kind === 'FEE' && effect.amount !== undefined) continue;
    const payment = effect.kind === 'TRANSFER' ? paymentOf(effect, signer) : undefined;
    if (payment === undefined) return undefined;
    payments.push(payment);
  }
  const hasFee = effects.some(({ kind }) => kind === 'FEE');
  return hasFee && payments.some(({ amount, to }) => amount > 0n && to !== signer) ? payments : undefined;
}

/** The parts of a parsed transaction that tell whether it is a payment. `signer` is the address of the signing key, as effects name it. */
export interface PaymentSource extends Pick<ParsedTransaction, 'effects' | 'fullyParsed'> {
  readonly signer?: string | undefined;
}

function paymentOf({ asset, amount, from, to }: Effect & { kind: 'TRANSFER' }, signer: string): Payment | undefined {
  if (asset.kind === 'NFT' || amount === undefined || from === undefined || to === undefined) return undefined;
  const isOwn = from === signer || chainOfAsset(asset.id)?.effects.holdsTokensOf?.(signer, asset.id).includes(from) === true;
  return isOwn ? { asset: asset.id, amount, from, to } : undefined;
}

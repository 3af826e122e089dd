import type { EffectShape } from '@countersign/contract';
import { highestFee, type Payment } from './ethereum-payment.ts';

/**
 * Whether decoded effects are exactly one payment.
 * SECURITY: D961: the reader of approvers decodes the built bytes, and only a request that matches the choice of the person is submitted.
 */
export function isPayment(effects: readonly EffectShape[], payment: Payment): boolean {
  const fees = effects.filter(({ kind }) => kind === 'FEE');
  const [transfer, ...others] = effects.filter(({ kind }) => kind !== 'FEE');
  if (transfer === undefined || others.length > 0 || fees.length !== 1) return false;
  const same = (a: string | undefined, b: string) => a?.toLowerCase() === b.toLowerCase();
  const limit = highestFee(payment.fees);
  return (
    transfer.kind === 'TRANSFER' &&
    same(transfer.from, payment.from) &&
    same(transfer.to, payment.to) &&
    transfer.asset?.id === payment.asset.id &&
    transfer.amount === payment.amount.toString() &&
    fees.every(({ from, amount }) => same(from, payment.from) && amount !== undefined && BigInt(amount) <= limit)
  );
}

import type { PaymentOrder } from '@countersign/chains';
import type { PayableAsset } from './knowledge.ts';

/** The parts of a payment that its transaction contains. */
export interface PaymentParts {
  readonly asset: PayableAsset;
  readonly from: string;
  readonly to: string;
  /** In base units. */
  readonly amount: bigint;
}

/** The parts as the builders of the chains take them. */
export const orderOf = ({ asset, from, to, amount }: PaymentParts): PaymentOrder => ({
  ...{ from, to, amount },
  asset: asset.id,
  decimals: asset.decimals,
});

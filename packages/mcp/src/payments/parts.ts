import type { PayableAsset } from './knowledge.ts';

/** The parts of a payment that its transaction contains. */
export interface PaymentParts {
  readonly asset: PayableAsset;
  readonly from: string;
  readonly to: string;
  /** In base units. */
  readonly amount: bigint;
}

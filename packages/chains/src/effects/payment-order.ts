/** What a payment is built from. */
export interface PaymentOrder {
  /** The address of the payer. */
  readonly from: string;
  readonly to: string;
  /** The CAIP-19 name of the asset. */
  readonly asset: string;
  readonly decimals: number;
  /** In base units. */
  readonly amount: bigint;
}

/** The contract of a token, or undefined for the coin: `0x…` of `eip155:1/erc20:0x…`. */
export function tokenOfOrder({ asset }: Pick<PaymentOrder, 'asset'>): string | undefined {
  const [standard = '', reference] = asset.slice(asset.indexOf('/') + 1).split(':');
  return standard === 'slip44' ? undefined : reference;
}

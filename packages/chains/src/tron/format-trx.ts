import { formatUnits } from '../shared/text.ts';

const TRX_DECIMALS = 6;

/** An amount in sun as TRX. */
export function formatTrx(sun: bigint): string {
  return `${formatUnits(sun, TRX_DECIMALS)} TRX`;
}

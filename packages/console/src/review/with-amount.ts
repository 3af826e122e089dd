import { formatUnits } from '@countersign/chains';
import type { EffectShape } from '@countersign/contract';

/** An effect with another amount, in base units. Undefined if it is not known. */
export function withAmount({ units: _, amount: __, ...effect }: EffectShape, amount: bigint | undefined): EffectShape {
  const decimals = effect.asset?.decimals;
  if (amount === undefined) return effect;
  return { ...effect, amount: `${amount}`, ...(decimals !== undefined && { units: formatUnits(amount, decimals) }) };
}

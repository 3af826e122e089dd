import type { EffectShape } from '@countersign/contract';
import { groupDigits } from './group-digits.ts';

/** An amount with thousands separators and its symbol. */
export function quantity({ units, amount, asset }: EffectShape): string {
  return `${groupDigits(units ?? amount ?? '?')} ${asset?.symbol ?? asset?.id ?? ''}`.trim();
}

/** An address without its middle, for lists. */
export const shorten = (address: string): string =>
  address.length > 16 ? `${address.slice(0, 8)}…${address.slice(-6)}` : address;

import type { Spread } from '../statistics.ts';

/** A number for people: with thousands separators and this many digits after the point. */
export function shown(value: number, digits: number): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** The lowest and the highest value, as in `1.70–1.82`. */
export function shownRange({ min, max }: Spread, digits: number): string {
  return `${shown(min, digits)}–${shown(max, digits)}`;
}

/** A share as in `12.3 %`. */
export function shownPercent(share: number): string {
  return `${shown(share * 100, 1)} %`;
}

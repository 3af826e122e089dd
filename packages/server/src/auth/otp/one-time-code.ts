import { randomInt } from 'node:crypto';

/** Crockford's base 32: no I, L, O or U, so that no character can be misread as another. */
const ALPHANUMERIC = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const DIGITS = '0123456789';

/** The form of a code. */
export interface CodeShape {
  readonly length: number;
  readonly alphanumeric: boolean;
}

/** Below as many possible codes as 2 to this power, one could be found by trying at the pace that the service allows. */
const UNGUESSABLE_BITS = 40;

/** Whether the number of possible codes is small enough for guessing. */
export function isShort({ length, alphanumeric }: CodeShape): boolean {
  return length * Math.log2(alphanumeric ? ALPHANUMERIC.length : DIGITS.length) < UNGUESSABLE_BITS;
}

/** A new random code, every character of the alphabet equally likely. */
export function newCode({ length, alphanumeric }: CodeShape): string {
  const alphabet = alphanumeric ? ALPHANUMERIC : DIGITS;
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/** The canonical spelling of a code: upper case, with O read as 0, and I and L read as 1. */
export function canonicalCode(typed: string, alphanumeric: boolean): string {
  return alphanumeric ? typed.toUpperCase().replace(/O/g, '0').replace(/[IL]/g, '1') : typed;
}

import { randomInt } from 'node:crypto';

/** Crockford's base 32: no I, L, O or U, so that nothing in a code can be read as something else. */
const ALPHANUMERIC = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const DIGITS = '0123456789';

/** How long a code is where the request does not say. */
export const DEFAULT_CODE_LENGTH = 9;

/** What a code looks like. */
export interface CodeShape {
  readonly length: number;
  readonly alphanumeric: boolean;
}

/** A new code, each character drawn evenly from the alphabet. */
export function newCode({ length, alphanumeric }: CodeShape): string {
  const alphabet = alphanumeric ? ALPHANUMERIC : DIGITS;
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/** The one spelling of a code: upper case, and the letters that the alphabet leaves out as the digits they look like. */
export function canonicalCode(typed: string, alphanumeric: boolean): string {
  return alphanumeric ? typed.toUpperCase().replace(/O/g, '0').replace(/[IL]/g, '1') : typed;
}

/** Why a text is not an amount that can be paid. */
export type AmountProblem = 'form' | 'precision' | 'zero';

/** The most digits that an amount may have: a number of 256 bits has 78. */
const MOST_DIGITS = 78;

/**
 * An amount in units, such as `1500.25`, in base units. Exact for any number of digits.
 * SECURITY: D961: separators of thousands are refused. `1,500` is one and a half for some people, and fifteen hundred for others.
 */
export function readAmount(text: string, decimals: number): bigint | AmountProblem {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(text.trim());
  const [, whole = '', fraction = ''] = match ?? [];
  if (match === null || whole.length > MOST_DIGITS) return 'form';
  const digits = fraction.replace(/0+$/, '');
  if (digits.length > decimals) return 'precision';
  const amount = BigInt(whole + digits.padEnd(decimals, '0'));
  return amount === 0n ? 'zero' : amount;
}

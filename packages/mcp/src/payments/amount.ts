import { Problem } from '../problem.ts';

/** An amount of a request: digits, and a point before the decimals. */
export const AMOUNT = /^(0|[1-9]\d{0,38})(\.\d{1,36})?$/;

/** An amount in units of an asset, such as "12.5", in base units. Throws Problem. */
export function toBaseUnits(text: string, decimals: number): bigint {
  const [, whole, point = ''] = AMOUNT.exec(text) ?? [];
  if (whole === undefined)
    throw new Problem('AMOUNT_INVALID', 'The amount is not a decimal number.', 'Give it as text, for example "12.5".');
  const fraction = point.slice(1);
  if (fraction.length > decimals)
    throw new Problem('AMOUNT_INVALID', `The asset has ${decimals} decimals.`, 'Give an amount with at most that many decimals.');
  const amount = BigInt(whole + fraction.padEnd(decimals, '0'));
  if (amount === 0n) throw new Problem('AMOUNT_INVALID', 'The amount is zero.', 'Give an amount above zero.');
  return amount;
}

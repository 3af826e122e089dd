/** Digits after the point of every amount that controls add up. */
export const FRACTION_DIGITS = 18;

/** One, in the scale of all amounts here. */
export const ONE = 10n ** BigInt(FRACTION_DIGITS);

/** A decimal text of at most 18 fraction digits as an integer, scaled by 10^18. */
export function parseDecimal(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(FRACTION_DIGITS, '0'));
}

/** A scaled amount as the shortest decimal text. `104000.5` */
export function formatDecimal(amount: bigint): string {
  const count = amount / ONE;
  if (count * ONE === amount) return count.toString();
  const digits = (amount < 0n ? -amount : amount).toString().padStart(FRACTION_DIGITS + 1, '0');
  const fraction = digits.slice(-FRACTION_DIGITS).replace(/0+$/, '');
  const whole = digits.slice(0, -FRACTION_DIGITS);
  return `${amount < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** A scaled amount for people. `104,000.5` */
export function showAmount(amount: bigint): string {
  const text = formatDecimal(amount);
  if (text.length <= 3) return text;
  const point = text.indexOf('.');
  const end = point === -1 ? text.length : point;
  const start = text.startsWith('-') ? 1 : 0;
  let whole = text.slice(Math.max(start, end - 3), end);
  for (let at = end - 3; at > start; at -= 3) whole = `${text.slice(Math.max(start, at - 3), at)},${whole}`;
  return text.slice(0, start) + whole + text.slice(end);
}

/**
 * An amount in base units, in the scale of controls, times a rate.
 * SECURITY: what does not come out even is rounded up, so that no sequence of small amounts stays below a limit.
 */
export function scaleAmount(baseUnits: bigint, decimals: number, rate: bigint): bigint {
  const divisor = 10n ** BigInt(decimals);
  return (baseUnits * rate + divisor - 1n) / divisor;
}

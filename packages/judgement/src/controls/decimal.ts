/** The number of fraction digits of all amounts in controls. */
export const FRACTION_DIGITS = 18;

/** 1 as a scaled amount. */
export const ONE = 10n ** BigInt(FRACTION_DIGITS);

/** Parses a decimal text with at most 18 fraction digits into an integer, scaled by 10^18. */
export function parseDecimal(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(FRACTION_DIGITS, '0'));
}

/** Formats a scaled amount as the shortest decimal text, such as `104000.5`. */
export function formatDecimal(amount: bigint): string {
  const count = amount / ONE;
  if (count * ONE === amount) return count.toString();
  const digits = (amount < 0n ? -amount : amount).toString().padStart(FRACTION_DIGITS + 1, '0');
  const fraction = digits.slice(-FRACTION_DIGITS).replace(/0+$/, '');
  const whole = digits.slice(0, -FRACTION_DIGITS);
  return `${amount < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Formats a scaled amount for display, such as `104,000.5`. */
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
 * Converts an amount in base units to the scale of controls, multiplied by a rate.
 * SECURITY: fractions are rounded up, so that no sequence of small amounts stays below a limit.
 */
export function scaleAmount(baseUnits: bigint, decimals: number, rate: bigint): bigint {
  const divisor = 10n ** BigInt(decimals);
  return (baseUnits * rate + divisor - 1n) / divisor;
}

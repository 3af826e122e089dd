/**
 * Half of the range and more counts as unlimited: hardly any token has that many units, and some contracts count down from the
 * largest number.
 * SECURITY: who asks for one unit less than the largest number must not get past a rule against unlimited allowances.
 */
export function isUnlimited(amount: bigint, bits: number): boolean {
  return amount >= 1n << BigInt(bits - 1);
}

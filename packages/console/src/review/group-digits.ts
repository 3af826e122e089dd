/** A decimal number with commas between its thousands. Text throughout: amounts are longer than a double is exact. */
export function groupDigits(decimal: string): string {
  const [whole = '', ...fraction] = decimal.split('.');
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...fraction].join('.');
}

/** A decimal number with thousands separators. Works on text, because amounts exceed the precision of a double. */
export function groupDigits(decimal: string): string {
  const [whole = '', ...fraction] = decimal.split('.');
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...fraction].join('.');
}

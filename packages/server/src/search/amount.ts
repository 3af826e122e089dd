/** A decimal number without needless zeros, such as `1500` or `0.25`. Undefined for other texts. */
export function plainAmount(text: string): string | undefined {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(text);
  if (match === null) return undefined;
  const whole = (match[1] as string).replace(/^0+(?=\d)/, '');
  const fraction = (match[2] ?? '').replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** Compares two plain amounts exactly, with any number of digits. */
export function compareAmounts(a: string, b: string): number {
  const [wholeA = '', fractionA = ''] = a.split('.');
  const [wholeB = '', fractionB = ''] = b.split('.');
  if (wholeA.length !== wholeB.length) return wholeA.length - wholeB.length;
  if (wholeA !== wholeB) return wholeA < wholeB ? -1 : 1;
  return fractionA === fractionB ? 0 : fractionA < fractionB ? -1 : 1;
}

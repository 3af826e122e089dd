/** People compare the first and the last characters. A stranger finds an address with these in minutes. */
const COMPARED = 3;

/** Characters that all addresses of a format begin with. */
const prefix = /^(?:0x|bc1[qp]?|tb1[qp]?|T)/i;

/** The number of characters at the start and at the end that two look-alike addresses have in common. */
export interface SharedEnds {
  readonly head: number;
  readonly tail: number;
}

/** What two different addresses have in common if one could be mistaken for the other. Undefined otherwise. */
export function sharedEnds(given: string, other: string): SharedEnds | undefined {
  if (other.length !== given.length) return undefined;
  const start = prefix.exec(given)?.[0].length ?? 0;
  const head = shared(given, other, (at) => at);
  if (head === given.length || head - start < COMPARED) return undefined;
  const tail = shared(given, other, (at) => given.length - 1 - at);
  return tail < COMPARED ? undefined : { head, tail };
}

function shared(a: string, b: string, place: (at: number) => number): number {
  let count = 0;
  while (count < a.length && a[place(count)]?.toLowerCase() === b[place(count)]?.toLowerCase()) count += 1;
  return count;
}

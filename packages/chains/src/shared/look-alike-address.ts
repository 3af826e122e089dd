/** People compare the first and the last characters. A stranger finds an address with these in minutes. */
const COMPARED = 3;

/** Characters that all addresses of a format begin with. */
const prefix = /^(?:0x|bc1[qp]?|tb1[qp]?|T)/i;

/** The beginning that every address has which could be mistaken for this one. */
export const comparedStart = (address: string): string => address.slice(0, (prefix.exec(address)?.[0].length ?? 0) + COMPARED);

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

/**
 * Whether another address could be mistaken for one of these, as `sharedEnds` compares them.
 * SECURITY: D1040: one look-up for each other address, however many these are. A transaction can have hundreds of receivers, and an
 * organization thousands of contacts.
 */
export function lookAlikesOf(addresses: Iterable<string>): (other: string) => boolean {
  const byEnds = new Map<string, Set<string>>();
  for (const address of addresses) {
    const ends = endsOf(address);
    byEnds.set(ends, (byEnds.get(ends) ?? new Set()).add(address.toLowerCase()));
  }
  return (other) => {
    const found = byEnds.get(endsOf(other));
    return found !== undefined && found.size > (found.has(other.toLowerCase()) ? 1 : 0);
  };
}

/** The same for two addresses if they are equal where people compare them. */
function endsOf(address: string): string {
  const start = prefix.exec(address)?.[0].length ?? 0;
  return `${address.length} ${address.slice(0, start + COMPARED).toLowerCase()} ${address.slice(-COMPARED).toLowerCase()}`;
}

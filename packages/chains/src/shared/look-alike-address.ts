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

/**
 * What people compare of an address: its beginning and its end. Two addresses that have this in common look alike. Undefined for a text that is
 * too short to have both.
 * SECURITY: D1172: the length does not count. Addresses of Solana have 43 or 44 characters, and of Bitcoin 42 or 62 with the same beginning.
 */
export function comparedEnds(address: string): string | undefined {
  const start = comparedStart(address);
  if (address.length < start.length + COMPARED) return undefined;
  return `${start} ${address.slice(-COMPARED)}`.toLowerCase();
}

/** What two different addresses have in common if one could be mistaken for the other. Undefined otherwise. */
export function sharedEnds(given: string, other: string): SharedEnds | undefined {
  const ends = comparedEnds(given);
  if (ends === undefined || ends !== comparedEnds(other) || given.toLowerCase() === other.toLowerCase()) return undefined;
  const shorter = Math.min(given.length, other.length);
  const head = shared(shorter - COMPARED, (at) => [given[at], other[at]]);
  const tail = shared(shorter - head, (at) => [given.at(-1 - at), other.at(-1 - at)]);
  return { head, tail };
}

function shared(most: number, at: (count: number) => readonly [string | undefined, string | undefined]): number {
  let count = 0;
  while (count < most) {
    const [a, b] = at(count);
    if (a?.toLowerCase() !== b?.toLowerCase()) break;
    count += 1;
  }
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
    const ends = comparedEnds(address);
    if (ends !== undefined) byEnds.set(ends, (byEnds.get(ends) ?? new Set()).add(address.toLowerCase()));
  }
  return (other) => {
    const found = byEnds.get(comparedEnds(other) ?? '');
    return found !== undefined && found.size > (found.has(other.toLowerCase()) ? 1 : 0);
  };
}

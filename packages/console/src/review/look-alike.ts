import { canonicalAddress, type SharedEnds, sharedEnds } from '@countersign/chains';

/** Two addresses that look alike when their middles are left out. */
export interface LookAlike extends SharedEnds {
  readonly given: string;
  readonly known: string;
}

/**
 * The known address that another one could be mistaken for. Undefined if it resembles none but itself.
 * SECURITY: D803: attackers send dust from an address that looks like a known one, and wait until a person copies it.
 */
export function lookAlike(given: string, known: Iterable<string>): LookAlike | undefined {
  for (const other of known) {
    if (canonicalAddress(other) === canonicalAddress(given)) continue;
    const ends = sharedEnds(given, other) ?? endsOfSameLetters(given, other);
    if (ends !== undefined) return { given, known: other, ...ends };
  }
  return undefined;
}

/**
 * What two addresses have in common that differ in upper and lower case only.
 * SECURITY: D982: except in hexadecimal, these are different addresses.
 */
function endsOfSameLetters(given: string, other: string): SharedEnds | undefined {
  if (given.toLowerCase() !== other.toLowerCase()) return undefined;
  const differing = [...given].flatMap((letter, at) => (letter === other[at] ? [] : [at]));
  return { head: differing[0] ?? 0, tail: given.length - 1 - (differing.at(-1) ?? 0) };
}

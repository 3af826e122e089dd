import { type SharedEnds, sharedEnds } from '@countersign/chains';

/** Two addresses that look alike when their middles are left out. */
export interface LookAlike extends SharedEnds {
  readonly given: string;
  readonly known: string;
}

/**
 * The known address that another one could be mistaken for. Undefined if it is known itself or resembles none.
 * SECURITY: D803: attackers send dust from an address that looks like a known one, and wait until a person copies it.
 */
export function lookAlike(given: string, known: Iterable<string>): LookAlike | undefined {
  const own = given.toLowerCase();
  let found: LookAlike | undefined;
  for (const other of known) {
    if (other.toLowerCase() === own) return undefined;
    const ends = sharedEnds(given, other);
    if (ends !== undefined) found ??= { given, known: other, ...ends };
  }
  return found;
}

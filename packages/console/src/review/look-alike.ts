/** Two addresses that look alike when their middles are left out. */
export interface LookAlike {
  readonly given: string;
  readonly known: string;
  /** Characters at the start and at the end that both have. */
  readonly head: number;
  readonly tail: number;
}

/** People compare the first and the last characters. A stranger finds an address with these in minutes. */
const COMPARED = 3;

/** Characters that all addresses of a format begin with. */
const prefix = /^(?:0x|bc1[qp]?|tb1[qp]?|T)/i;

/**
 * The known address that another one could be mistaken for. Undefined if it is known itself or resembles none.
 * SECURITY: D803: attackers send dust from an address that looks like a known one, and wait until a person copies it.
 */
export function lookAlike(given: string, known: Iterable<string>): LookAlike | undefined {
  const own = given.toLowerCase();
  let found: LookAlike | undefined;
  for (const other of known) {
    if (other.toLowerCase() === own) return undefined;
    if (other.length !== given.length) continue;
    const start = prefix.exec(given)?.[0].length ?? 0;
    const head = shared(given, other, (at) => at);
    const tail = shared(given, other, (at) => given.length - 1 - at);
    if (head - start >= COMPARED && tail >= COMPARED) found ??= { given, known: other, head, tail };
  }
  return found;
}

function shared(a: string, b: string, place: (at: number) => number): number {
  let count = 0;
  while (count < a.length && a[place(count)]?.toLowerCase() === b[place(count)]?.toLowerCase()) count += 1;
  return count;
}

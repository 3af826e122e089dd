import type { SymbolicRecord, SymbolicSet } from './symbolic.ts';
import { isTrueIn, type Model, type Symbols } from './symbols.ts';
import { not, or, type Term, yes } from './term.ts';
import { knownRecord } from './values.ts';

interface Tagged {
  readonly exists: Term;
  readonly set: SymbolicSet;
}

/** All contacts that an organization could have: a set of addresses, and a subset for each tag. */
export class ContactBook {
  readonly record: SymbolicRecord;
  private readonly symbols: Symbols;
  private readonly everybody: Term;
  private readonly tags = new Map<string, Tagged>();
  /** Every address that was looked up, with the result for each set. */
  private readonly questions = new Map<string, { readonly address: Term; readonly answer: Term; readonly tag?: string }>();

  constructor(symbols: Symbols) {
    this.symbols = symbols;
    this.everybody = symbols.set();
    this.record = knownRecord(
      new Map([
        ['all', { present: yes, value: { kind: 'set', holds: (address: Term) => this.inAll(address) } as const }],
        [
          'tagged',
          {
            present: yes,
            value: {
              kind: 'tags',
              at: (tag: string) => {
                const { exists, set } = this.tagged(tag);
                return { error: not(exists), value: set };
              },
            } as const,
          },
        ],
      ]),
    );
  }

  /** The contacts of a model. A tag without a looked-up member gets a unique address. */
  decode(model: Model, textOf: (address: Term) => string): { all: string[]; tagged: Map<string, string[]> } {
    const all = new Set<string>();
    const tagged = new Map<string, string[]>();
    for (const [tag, { exists }] of this.tags) if (isTrueIn(exists, model)) tagged.set(tag, []);
    for (const { address, answer, tag } of this.questions.values()) {
      if (!isTrueIn(answer, model)) continue;
      const text = textOf(address);
      all.add(text);
      const members = tag === undefined ? undefined : tagged.get(tag);
      if (members?.includes(text) === false) members.push(text);
    }
    for (const members of tagged.values()) {
      if (members.length > 0) continue;
      members.push('0x00000000000000000000000000000000c0ffee00');
      all.add('0x00000000000000000000000000000000c0ffee00');
    }
    return { all: [...all], tagged };
  }

  private inAll(address: Term): Term {
    return this.ask(this.everybody, address);
  }

  private tagged(tag: string): Tagged {
    const known = this.tags.get(tag);
    if (known !== undefined) return known;
    const [members, exists] = [this.symbols.set(), this.symbols.bool()];
    const holds = (address: Term) => {
      const answer = this.ask(members, address, tag);
      this.symbols.assert(or(not(answer), this.inAll(address)));
      this.symbols.assert(or(not(answer), exists));
      return answer;
    };
    const made: Tagged = { exists, set: { kind: 'set', holds } };
    this.tags.set(tag, made);
    return made;
  }

  private ask(set: Term, address: Term, tag?: string): Term {
    const term = `(${set} ${address})`;
    const answer = this.symbols.named(term);
    this.questions.set(term, { address, answer, ...(tag !== undefined && { tag }) });
    return answer;
  }
}

import { type Term, yes } from './term.ts';

/** The values that a solver chose, by symbol. */
export type Model = ReadonlyMap<Term, boolean | bigint>;

/** Terms of at least this length are defined once. Shorter terms are cheap to repeat. */
const WORTH_A_NAME = 60;

/**
 * The symbols and assertions of one question.
 * SECURITY: symbols are numbered here. No text of a policy, a property or a file reaches the solver, so none can change the question.
 */
export class Symbols {
  private readonly lines: string[] = [];
  private readonly atoms = new Map<string, number>();
  private readonly texts: Term[] = [];
  private readonly definitions = new Map<Term, Term>();
  private count = 0;

  bool(): Term {
    return this.declare('Bool');
  }

  int(): Term {
    return this.declare('Int');
  }

  /** A text, encoded as a number: texts of the question come first, and each further number is some other text. */
  text(): Term {
    const term = this.declare('Int');
    this.texts.push(term);
    return term;
  }

  /** A set of texts. */
  set(): Term {
    const name = this.next();
    this.lines.push(`(declare-fun ${name} (Int) Bool)`);
    return name;
  }

  /** The number of a text of the question. */
  atom(text: string): Term {
    const known = this.atoms.get(text);
    if (known !== undefined) return String(known);
    this.atoms.set(text, this.atoms.size);
    return String(this.atoms.size - 1);
  }

  /** The texts of the question, by number. */
  get namedTexts(): readonly string[] {
    return [...this.atoms.keys()];
  }

  /** A short name for a long term. */
  share(term: Term, sort: 'Bool' | 'Int'): Term {
    if (term.length < WORTH_A_NAME) return term;
    const known = this.definitions.get(term);
    if (known !== undefined) return known;
    const name = this.next();
    this.lines.push(`(define-fun ${name} () ${sort} ${term})`);
    this.definitions.set(term, name);
    return name;
  }

  /** A symbol for a truth value, so that the model contains it. */
  named(term: Term): Term {
    const known = this.definitions.get(term);
    if (known !== undefined) return known;
    const name = this.bool();
    this.assert(`(= ${name} ${term})`);
    this.definitions.set(term, name);
    return name;
  }

  assert(term: Term): void {
    if (term !== yes) this.lines.push(`(assert ${term})`);
  }

  /** The question as a script: are all assertions satisfiable together? */
  get script(): string {
    // Leaves room for each text symbol to differ from all others and from every named text.
    const largest = this.atoms.size + this.texts.length;
    const ranges = this.texts.map((term) => `(assert (and (>= ${term} 0) (<= ${term} ${largest})))`);
    return [...this.lines, ...ranges].join('\n');
  }

  private declare(sort: 'Bool' | 'Int'): Term {
    const name = this.next();
    this.lines.push(`(declare-const ${name} ${sort})`);
    return name;
  }

  private next(): Term {
    this.count += 1;
    return `s${this.count}`;
  }
}

/** Parses an answer: `sat`, `unsat` or `unknown`, and a model with a line `symbol -> value` for each relevant symbol. */
export function readAnswer(
  answer: string,
): { readonly kind: 'sat'; readonly model: Model } | { readonly kind: 'unsat' | 'unknown' } {
  const [verdict = ''] = answer.split('\n', 1);
  if (verdict === 'unsat') return { kind: 'unsat' };
  if (verdict !== 'sat') return { kind: 'unknown' };
  const model = new Map<Term, boolean | bigint>();
  for (const [, name = '', value = ''] of answer.matchAll(/^(s[0-9]+) -> (true|false|[0-9]+|\(-\s+[0-9]+\))$/gm)) {
    model.set(name, value === 'true' || value === 'false' ? value === 'true' : numberOf(value));
  }
  return { kind: 'sat', model };
}

/** Whether a condition holds in a model. A symbol that the model omits may have any value. */
export function isTrueIn(term: Term, model: Model): boolean {
  return (model.get(term) ?? term === 'true') === true;
}

/** The integer of a term in a model. */
export function integerIn(term: Term, model: Model): bigint {
  const chosen = model.get(term);
  if (typeof chosen === 'bigint') return chosen;
  return term.startsWith('s') ? 0n : numberOf(term);
}

function numberOf(text: string): bigint {
  const digits = /[0-9]+/.exec(text)?.[0] ?? '0';
  return text.startsWith('(') ? -BigInt(digits) : BigInt(digits);
}

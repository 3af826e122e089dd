import { isWellFormed, utf8Bytes, utf8Text } from '../bytes.ts';
import { TlogError } from '../errors.ts';
import { isCount } from '../merkle/place.ts';

/** What a leaf of the log stands for: one step of one activity. Only who holds the opening and its salt can tell. */
export interface Opening {
  readonly organizationId: string;
  /** The number of this leaf among those of the organization. The first is 1, and none is left out. */
  readonly sequence: number;
  /** The leaf hash of the organization's previous leaf in lower-case hex. Empty for the first. */
  readonly previousLeaf: string;
  readonly activityId: string;
  readonly fingerprint: string;
  readonly type: string;
  readonly status: string;
  /** SHA-256 of the decision in lower-case hex, or empty. */
  readonly decisionDigest: string;
  /** SHA-256 of the result in lower-case hex, or empty. */
  readonly resultDigest: string;
  /** Milliseconds since 1970. */
  readonly timeMs: number;
}

/** Far longer than any id, fingerprint, type or status is. */
const MAX_TEXT_LENGTH = 512;

/** Says what a member must be if the value is not that, else undefined. */
type Rule = (value: unknown) => string | undefined;

const text: Rule = (value) =>
  typeof value === 'string' && value.length > 0 && value.length <= MAX_TEXT_LENGTH && isWellFormed(value)
    ? undefined
    : `a text of 1 to ${MAX_TEXT_LENGTH} characters`;

const digest: Rule = (value) =>
  typeof value === 'string' && /^(?:[0-9a-f]{64})?$/.test(value) ? undefined : '32 bytes in lower-case hex, or empty';

const count: Rule = (value) => (isCount(value) ? undefined : 'an integer from 0 to 2^53 - 1');

/** INVARIANT: the order of this table is the order of the members in the canonical bytes, so it never changes. */
const rules: { readonly [Name in keyof Opening]: Rule } = {
  organizationId: text,
  sequence: (value) => (isCount(value) && value > 0 ? undefined : 'an integer from 1 to 2^53 - 1'),
  previousLeaf: digest,
  activityId: text,
  fingerprint: text,
  type: text,
  status: text,
  decisionDigest: digest,
  resultDigest: digest,
  timeMs: count,
};

const orderedRules = Object.entries(rules) as readonly [keyof Opening, Rule][];

/**
 * The canonical text of an opening, whose UTF-8 is hashed: JSON, its members in one fixed order, without white space, texts and numbers
 * written as RFC 8785 section 3.2.2 writes them. Throws TlogError for an opening that breaks a rule.
 * INVARIANT: two openings that differ have different bytes.
 */
export function openingText(opening: Opening): string {
  if (typeof opening !== 'object' || opening === null) throw new TlogError('the opening is not an object');
  const members: Record<string, unknown> = {};
  for (const [name, rule] of orderedRules) {
    const value = opening[name];
    const expected = rule(value);
    if (expected !== undefined) throw new TlogError(`${name} of the opening must be ${expected}`);
    members[name] = value;
  }
  // Only the first leaf has none before it. A gap that an empty link hides would go unseen.
  if ((members.sequence === 1) !== (members.previousLeaf === ''))
    throw new TlogError('previousLeaf of the opening must be empty for the first leaf, and only for it');
  return JSON.stringify(members);
}

/** The canonical bytes of an opening. */
export function openingBytes(opening: Opening): Uint8Array {
  return utf8Bytes(openingText(opening));
}

/** Reads canonical bytes. Throws TlogError for any other bytes, so that an opening has one form. */
export function parseOpening(bytes: Uint8Array): Opening {
  return parseOpeningText(utf8Text(bytes));
}

/** The same for canonical text. */
export function parseOpeningText(text: string): Opening {
  let opening: Opening;
  try {
    opening = JSON.parse(text) as Opening;
  } catch {
    // JSON.parse throws for malformed JSON only.
    throw new TlogError('the opening is not JSON');
  }
  // Writing it again shows every other spelling: white space, order, a member too much, a member given twice.
  if (openingText(opening) !== text) throw new TlogError('the opening is not in its canonical form');
  return opening;
}

import { isWellFormed, utf8Bytes, utf8Text } from '../bytes.ts';
import { TlogError } from '../errors.ts';
import { isCount } from '../merkle/place.ts';

/** Members of both versions. */
interface OpeningBase {
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

/** The content of a leaf of earlier releases. It has no member `version`. */
export interface OpeningV1 extends OpeningBase {
  readonly version?: never;
}

/** An organization that an activity created, and its head at that moment. */
export interface CreatedHead {
  readonly organizationId: string;
  readonly headVersion: number;
  readonly headDigest: string;
}

/** The content of a leaf: also who authorized the step, and the state of the organization after it. */
export interface OpeningV2 extends OpeningBase {
  readonly version: 2;
  /** Always 0: an installation has one log. */
  readonly shard: number;
  /** Revision of the activity that this leaf records. */
  readonly revision: number;
  /** The organization whose users authorized the step. Absent if it is `organizationId`. */
  readonly judgedBy?: string;
  /** Kind of the credential that authorized the step. NONE for the first organization, SERVICE for a step without a request. */
  readonly credentialKind: string;
  /** SHA-256 of the authorization in lower-case hex. Empty for NONE and SERVICE, and only for them. */
  readonly authorizationDigest: string;
  /** Version of the organization's head after the step. 0 for leaves about the installation. */
  readonly headVersion: number;
  /** SHA-256 of the MAC of that head in lower-case hex. Empty for version 0, and only for it. */
  readonly headDigest: string;
  /** Organizations that the step created. Absent if there are none. */
  readonly created?: readonly CreatedHead[];
}

/** What a leaf of the log stands for: one step of one activity. Only who holds the opening and its salt can tell. */
export type Opening = OpeningV1 | OpeningV2;

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

/** Only the first leaf has none before it. A gap that an empty link hides would go unseen. */
const linked = ({ sequence, previousLeaf }: Members) =>
  (sequence === 1) === (previousLeaf === '')
    ? undefined
    : 'previousLeaf of the opening must be empty for the first leaf, and only for it';

/** The rules of one version. INVARIANT: the order of `members` is the order in the canonical bytes, so it never changes. */
interface Format {
  readonly members: readonly (readonly [name: string, rule: Rule, presence?: 'optional'])[];
  /** Returns the broken rule between members, or undefined. */
  readonly together: (members: Members) => string | undefined;
}

type Members = Readonly<Record<string, unknown>>;

const chained = [
  ['organizationId', text],
  ['sequence', (value) => (isCount(value) && value > 0 ? undefined : 'an integer from 1 to 2^53 - 1')],
  ['previousLeaf', digest],
  ['activityId', text],
] as const satisfies Format['members'];

const step = [
  ['fingerprint', text],
  ['type', text],
  ['status', text],
  ['decisionDigest', digest],
  ['resultDigest', digest],
  ['timeMs', count],
] as const satisfies Format['members'];

const first: Format = { members: [...chained, ...step], together: linked };

const UNAUTHORIZED: ReadonlySet<unknown> = new Set(['NONE', 'SERVICE']);

const second: Format = {
  members: [
    ['version', (value) => (value === 2 ? undefined : 'the number 2')],
    ['shard', count],
    ...chained,
    ['revision', count],
    ...step,
    ['judgedBy', text, 'optional'],
    [
      'credentialKind',
      (value) => (typeof value === 'string' && /^[A-Z][A-Z0-9_]{0,31}$/.test(value) ? undefined : 'a name in capital letters'),
    ],
    ['authorizationDigest', digest],
    ['headVersion', count],
    ['headDigest', digest],
    ['created', created, 'optional'],
  ],
  together(members) {
    if (members.judgedBy === members.organizationId)
      return 'judgedBy of the opening must name another organization, or be absent';
    if (UNAUTHORIZED.has(members.credentialKind) !== (members.authorizationDigest === ''))
      return 'authorizationDigest of the opening must be empty for the credential kinds NONE and SERVICE, and only for them';
    if ((members.headVersion === 0) !== (members.headDigest === ''))
      return 'headDigest of the opening must be empty for head version 0, and only for it';
    return linked(members);
  },
};

const CREATED = 'a list of {organizationId, headVersion, headDigest}, one per organization, or absent';

function created(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length === 0) return CREATED;
  const seen = new Set<unknown>();
  for (const each of value as unknown[]) {
    if (typeof each !== 'object' || each === null) return CREATED;
    const { organizationId, headVersion, headDigest } = each as Members;
    if (Object.keys(each).join() !== 'organizationId,headVersion,headDigest' || seen.has(organizationId)) return CREATED;
    if (text(organizationId) ?? count(headVersion) ?? digest(headDigest)) return CREATED;
    if (headVersion === 0 || headDigest === '') return CREATED;
    seen.add(organizationId);
  }
  return undefined;
}

/**
 * The canonical text of an opening, whose UTF-8 is hashed: JSON, its members in one fixed order, without white space, texts and numbers
 * written as RFC 8785 section 3.2.2 writes them. Throws TlogError for an opening that breaks a rule.
 * INVARIANT: two openings that differ have different bytes. Only an opening of version 1 lacks the member `version`.
 */
export function openingText(opening: Opening): string {
  if (typeof opening !== 'object' || opening === null) throw new TlogError('the opening is not an object');
  const source = opening as unknown as Members;
  const format = source.version === undefined ? first : second;
  const members: Record<string, unknown> = {};
  for (const [name, rule, presence] of format.members) {
    const value = source[name];
    if (value === undefined && presence === 'optional') continue;
    const expected = rule(value);
    if (expected !== undefined) throw new TlogError(`${name} of the opening must be ${expected}`);
    members[name] = value;
  }
  const broken = format.together(members);
  if (broken !== undefined) throw new TlogError(broken);
  return JSON.stringify(members);
}

/** The version of an opening: the first byte of the data of its leaf. */
export function openingVersion(opening: Opening): 1 | 2 {
  return opening.version ?? 1;
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

import type { Opening } from '@countersign/tlog';
import { z } from 'zod';
import { AuditError } from '../audit-error.ts';

/** The format that is written. */
export const FORMAT = 'countersign-audit-2';
/** The format of earlier releases: leaves of version 1, and no proof of the newest leaf. */
export const FIRST_FORMAT = 'countersign-audit-1';

const hash = z.string().regex(/^[0-9a-f]{64}$/, 'must be 32 bytes in lower-case hexadecimal');
const count = z.int().min(0);

const header = z.strictObject({
  format: z.enum([FIRST_FORMAT, FORMAT]),
  organizationId: z.string(),
  /** Signatures before this time have no content. Milliseconds since 1970; null for the beginning. */
  since: count.nullable(),
  /** Nothing after this time has content; null for no end. */
  until: count.nullable(),
});

const chained = {
  organizationId: z.string(),
  sequence: count,
  previousLeaf: z.string(),
  activityId: z.string(),
};

const step = {
  fingerprint: z.string(),
  type: z.string(),
  status: z.string(),
  decisionDigest: z.string(),
  resultDigest: z.string(),
  timeMs: count,
};

const head = { headVersion: count, headDigest: z.string() };

/** The rules for values are those of the log package. */
const opening = z.union([
  z.strictObject({ ...chained, ...step }),
  z.strictObject({
    version: z.literal(2),
    shard: count,
    ...chained,
    revision: count,
    ...step,
    judgedBy: z.string().exactOptional(),
    credentialKind: z.string(),
    authorizationDigest: z.string(),
    ...head,
    created: z.array(z.strictObject({ organizationId: z.string(), ...head })).exactOptional(),
  }),
]);

const localChange = z.union([
  z.strictObject({ put: z.string(), id: z.string(), body: z.record(z.string(), z.unknown()) }),
  z.strictObject({ drop: z.string(), id: z.string() }),
]);

const changed = z.strictObject({
  changes: z.array(z.union([localChange, z.strictObject({ create: z.string(), changes: z.array(localChange) })])),
  parameters: z.record(z.string(), z.unknown()).optional(),
});

const vote = z.strictObject({
  id: z.string(),
  userId: z.string(),
  credentialId: z.string(),
  selection: z.enum(['VOTE_SELECTION_APPROVED', 'VOTE_SELECTION_REJECTED']),
  scheme: z.string(),
  signature: z.string(),
  /** The stamped body. Absent if it contains a secret. */
  body: z.string().optional(),
});

const result = z.record(z.string(), z.unknown());

/** What a leaf commits to: of an own activity, of one that the parent judged, or of the one that created the organization. */
const content = z.strictObject({
  /** Leaves of version 1 only. */
  judgedBy: z.string().optional(),
  vote: vote.optional(),
  body: z.string().optional(),
  decision: z.record(z.string(), z.unknown()).optional(),
  result: result.optional(),
  changed: changed.optional(),
});

const leaf = z.strictObject({
  index: count,
  gap: z.array(hash),
  salt: hash,
  opening,
  content: content.optional(),
});

const end = z.strictObject({
  end: z.strictObject({
    gap: z.array(hash),
    /** The signed note. */
    checkpoint: z.string(),
    /** Lines before this one. */
    lines: count,
    /** Over all bytes before this line. It detects damage, not fraud: an attacker who changes the file can change this too. */
    sha256: hash,
    /** The proof that no leaf of the organization follows. */
    head: z
      .strictObject({
        /** A signed note that commits to the head map. It may be newer than the other one. */
        checkpoint: z.string(),
        /** The nodes of the head map from its root to the organization. */
        nodes: z.array(z.string().regex(/^(?:[0-9a-f]{2})+$/, 'must be bytes in lower-case hexadecimal')),
        /** Given if the last leaf does not name the head. */
        headVersion: count.exactOptional(),
        headDigest: hash.exactOptional(),
      })
      .optional(),
  }),
});

export type HeaderLine = z.output<typeof header>;
export type LeafLine = Omit<z.output<typeof leaf>, 'opening'> & { readonly opening: Opening };
export type EndLine = z.output<typeof end>['end'];
export type HeadLine = NonNullable<EndLine['head']>;
export type Content = z.output<typeof content>;
export type CastVote = z.output<typeof vote>;
export type Changed = z.output<typeof changed>;
export type LocalChange = z.output<typeof localChange>;

/** Far longer than any line is: a body has at most a few megabytes. */
export const MAX_LINE_LENGTH = 64 * 1024 * 1024;

/** The first line. */
export function readHeader(text: string): HeaderLine {
  return read(header, text, 'the first line is not the header of an audit file that this release knows');
}

/** A line after the first: a leaf, or the end. */
export function readLine(text: string): { readonly leaf: LeafLine } | { readonly end: EndLine } {
  if (text.startsWith('{"end":')) return read(end, text, 'the end of the file is malformed');
  return { leaf: read(leaf, text, 'this is not a line of an audit file') };
}

/**
 * INVARIANT: a line has one encoding: the output of JSON.stringify, with exactly the members of the schema in their order. White space,
 * needless escapes, duplicate members and unknown members are rejected.
 */
function read<S extends z.ZodType>(schema: S, text: string, otherwise: string): z.output<S> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new AuditError(`${otherwise}: it is not JSON`);
  }
  if (JSON.stringify(value) !== text) throw new AuditError(`${otherwise}: it is not in canonical form`);
  const parsed = schema.safeParse(value);
  if (parsed.success) {
    // The schema returns members in its own order.
    if (JSON.stringify(parsed.data) !== text) throw new AuditError(`${otherwise}: its members are not in order`);
    return parsed.data;
  }
  const [issue] = parsed.error.issues;
  throw new AuditError(`${otherwise}: ${issue?.path.join('.') || 'line'}: ${issue?.message}`);
}

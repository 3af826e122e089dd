import { z } from 'zod';
import type { ActivityRow, LogLeafRow } from '../store/rows.ts';

/**
 * The format of an archive file: lines of JSON in UTF-8, compressed by gzip.
 *
 *     {"format":"countersign-archive","version":2,…}                        the header
 *     {"organizationId":"…","id":"…",…,"mac":"…","leaves":[…]}              one line for each activity: its row, and all its leaves
 *     {"count":2,"checkpoint":"…","digest":"…","mac":"…"}                   the end: nothing may follow
 *
 * In version 1, the leaves stayed in the database, and a line names the index of the newest one: `"leafIndex":17`.
 */
export const ARCHIVE_FORMAT = 'countersign-archive';

export const archiveHeaderShape = z.strictObject({
  format: z.literal(ARCHIVE_FORMAT),
  version: z.literal([1, 2]),
  /** The name of the file. It may be in any directory. */
  name: z.string(),
  createdAtMs: z.int().nonnegative(),
  /** Every activity in it ended before this time. */
  beforeMs: z.int().nonnegative(),
});

export type ArchiveHeader = Readonly<z.output<typeof archiveHeaderShape>>;

export const archivedActivityShape = z.strictObject({
  organizationId: z.string(),
  id: z.string(),
  revision: z.int().nonnegative(),
  fingerprint: z.string(),
  type: z.string(),
  status: z.string(),
  body: z.string(),
  mac: z.base64(),
  leafIndex: z.int().nonnegative().optional(),
  leaves: z
    .array(
      z.strictObject({
        revision: z.int().nonnegative(),
        leafIndex: z.int().nonnegative(),
        sequence: z.int().positive(),
        opening: z.string(),
        commitment: z.base64(),
      }),
    )
    .optional(),
});

const claimsShape = z.strictObject({
  count: z.int().positive(),
  /** Of a tree that has all the leaves. */
  checkpoint: z.string(),
  /** SHA-256 in hex over all bytes before this line. */
  digest: z.hex().length(64),
});

export const archiveEndShape = claimsShape.extend({ mac: z.base64() });

export type ArchiveEnd = Readonly<z.output<typeof archiveEndShape>>;

/** The input of the MAC of an archive file. */
export function archiveClaimsText({ count, checkpoint, digest }: z.output<typeof claimsShape>): string {
  return JSON.stringify({ count, checkpoint, digest });
}

/** An activity with its leaves. */
export interface LoggedActivity {
  /** Without the columns that its body contains. */
  readonly row: Omit<ActivityRow, 'requestedAtMs'>;
  /** In the order of revisions. Empty in files of version 1. */
  readonly leaves: readonly LogLeafRow[];
}

export function activityLine({ row, leaves }: LoggedActivity): string {
  const { organizationId, id, revision, fingerprint, type, status, body, mac } = row;
  const line: z.input<typeof archivedActivityShape> = {
    organizationId,
    id,
    revision,
    fingerprint,
    type,
    status,
    body,
    mac: Buffer.from(mac).toString('base64'),
    leaves: leaves.map(({ leafIndex, sequence, opening, commitment, ...leaf }) => ({
      revision: leaf.revision,
      leafIndex,
      sequence,
      opening,
      commitment: Buffer.from(commitment).toString('base64'),
    })),
  };
  return JSON.stringify(line);
}

export function readActivityLine(value: unknown): LoggedActivity {
  const { mac, leafIndex: _, leaves = [], ...row } = archivedActivityShape.parse(value);
  const { organizationId, id: activityId } = row;
  return {
    row: { ...row, mac: fromBase64(mac) },
    leaves: leaves.map((leaf) => ({ ...leaf, organizationId, activityId, commitment: fromBase64(leaf.commitment) })),
  };
}

function fromBase64(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64'));
}

import { z } from 'zod';
import type { ActivityRow } from '../store/rows.ts';

/**
 * The format of an archive file: lines of JSON in UTF-8, compressed by gzip.
 *
 *     {"format":"countersign-archive","version":1,…}                        the header
 *     {"organizationId":"…","id":"…",…,"mac":"…","leafIndex":17}            one line for each activity: its row, and its newest leaf
 *     {"count":2,"checkpoint":"…","digest":"…","mac":"…"}                   the end: nothing may follow
 */
export const ARCHIVE_FORMAT = 'countersign-archive';

export const archiveHeaderShape = z.strictObject({
  format: z.literal(ARCHIVE_FORMAT),
  version: z.literal(1),
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
  leafIndex: z.int().nonnegative(),
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

/** An activity with the index of its newest leaf. */
export interface LoggedActivity {
  /** Without the columns that its body contains. */
  readonly row: Omit<ActivityRow, 'requestedAtMs'>;
  readonly leafIndex: number;
}

export function activityLine({ row, leafIndex }: LoggedActivity): string {
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
    leafIndex,
  };
  return JSON.stringify(line);
}

export function readActivityLine(value: unknown): LoggedActivity {
  const { mac, leafIndex, ...row } = archivedActivityShape.parse(value);
  return { row: { ...row, mac: new Uint8Array(Buffer.from(mac, 'base64')) }, leafIndex };
}

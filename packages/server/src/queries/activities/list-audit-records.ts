import { isSignature, queries } from '@countersign/contract';
import type { AuditEnd } from '../../log/audit.ts';
import { isSystemChange } from '../../log/entry.ts';
import type { ActivityRecord } from '../../organizations/activities/activity-record.ts';
import { findOrganizationOrigin } from '../../organizations/organization-origin.ts';
import { resolve } from '../../pipeline/query.ts';
import { auditContent, originContent } from './audit-content.ts';
import { showLeaf } from './show-leaf.ts';

/** Number of activities to read concurrently if the previous ones were not large. */
const READ_TOGETHER = 8;
/** An activity with this many characters is large: reading and writing it takes a millisecond. */
const LARGE = 65_536;
/**
 * A page ends early after this many characters of content.
 * SECURITY: A59: a thousand bodies of the maximum size would not fit into the server's memory.
 */
const MAX_PAGE_LENGTH = 4_000_000;

const toHex = (hash: Uint8Array) => Buffer.from(hash.buffer, hash.byteOffset, hash.length).toString('hex');

export const listAuditRecords = resolve(queries.listAuditRecords, async (context, input) => {
  const { logAudit, organization, endSlice } = context;
  const { from = '1', limit = '100', since = '0', until } = input;
  const range = { since: Number(since), until: until === undefined ? Number.POSITIVE_INFINITY : Number(until) };
  const created = from === '1' ? await findOrganizationOrigin(context, organization) : undefined;
  const origin = created && { organizationId: created.organizationId, activityId: created.id };
  const { leaves, end } = await logAudit.pageOf(organization.id, Number(from), Number(limit), origin);
  const contents: (string | undefined)[] = [];
  let together = 1;
  for (let length = 0; contents.length < leaves.length && length < MAX_PAGE_LENGTH; ) {
    const part = leaves.slice(contents.length, contents.length + together);
    const read = await Promise.all(part.map((leaf) => contentOf(leaf)));
    together = read.every((content) => (content?.length ?? 0) < LARGE) ? READ_TOGETHER : 1;
    for (const content of read) {
      // The rest is read again for the next page.
      if (length >= MAX_PAGE_LENGTH) break;
      contents.push(content);
      length += content?.length ?? 0;
      await endSlice(content?.length);
    }
  }
  const records = contents.map((content, at) => {
    const leaf = leaves[at] as (typeof leaves)[number];
    return { ...showLeaf(leaf), gap: leaf.gap.map(toHex), ...(content !== undefined && { content }) };
  });
  if (end !== undefined && contents.length === leaves.length) return { records, end: showEnd(end) };
  const last = leaves[contents.length - 1];
  return { records, next: `${last === undefined ? Number(from) + Number(limit) : last.row.sequence + 1}` };

  async function contentOf({ row, opening }: (typeof leaves)[number]): Promise<string | undefined> {
    if (created !== undefined && row.organizationId !== organization.id) return originContent(created);
    if (opening.timeMs > range.until || isSystemChange(row)) return undefined;
    const isEarly = opening.timeMs < range.since && isSignature(opening.type);
    // A signature from before the range is included only if it was pending and got a vote within the range.
    if (isEarly && opening.status !== 'ACTIVITY_STATUS_CONSENSUS_NEEDED') return undefined;
    const record = await context.activities.get(organization.id, row.activityId);
    if (record === undefined) {
      await context.activities.refuseArchived(organization.id, { id: row.activityId });
      throw context.activities.tampered(organization.id, `the activity ${row.activityId} is missing`);
    }
    if (isEarly && !goesOnWithin(record, range)) return undefined;
    return auditContent(record, row.revision, opening);
  }
});

function showEnd({ checkpoint, gap, head, isHeadNamed }: AuditEnd) {
  if (head === undefined) return { checkpoint, gap: gap.map(toHex) };
  const { headVersion, headDigest } = head;
  const proof = { checkpoint: head.checkpoint, nodes: head.nodes.map(toHex) };
  return { checkpoint, gap: gap.map(toHex), head: { ...proof, ...(!isHeadNamed && { headVersion, headDigest }) } };
}

function goesOnWithin({ votes }: ActivityRecord, { since, until }: { readonly since: number; readonly until: number }): boolean {
  return votes.some(({ createdAtMs }) => createdAtMs >= since && createdAtMs <= until);
}

import type { Opening } from '@countersign/tlog';
import { auditView } from '../../dialects/redaction.ts';
import type { ActivityRecord } from '../../organizations/activities/activity-record.ts';

/**
 * The content that a leaf of an activity commits to, in the format of audit files. `revision` selects the leaf.
 * INVARIANT: every field is backed by the leaf, by a stamp, or by the state that is replayed from earlier leaves.
 * SECURITY: D101: as in every other response, a stamped body that contains a secret is omitted. If the parent authorized the activity, its
 * votes and decision are omitted too.
 */
export function auditContent(record: ActivityRecord, revision: number, { version }: Pick<Opening, 'version'>): string {
  const { judgedBy, votes, decisions, result, changed } = record;
  const view = auditView(record.type);
  const vote = votes[revision];
  const body = vote && view.message(vote.message);
  const isLast = revision >= votes.length - 1;
  const shown = result === null || view.result(result) !== result ? undefined : result;
  const outcome = isLast ? { ...(shown !== undefined && { result: shown }), ...(changed && { changed }) } : {};
  // A leaf of version 2 names the organization that authorized it.
  if (judgedBy !== undefined) return JSON.stringify({ ...(version !== 2 && { judgedBy }), ...(body && { body }), ...outcome });
  return JSON.stringify({
    ...(vote && { vote: { ...castBy(vote), ...(body && { body }) } }),
    ...(decisions[revision] && { decision: decisions[revision] }),
    ...outcome,
  });
}

/** The content of the leaf of the activity that created an organization, as shown to that organization. */
export function originContent({ type, votes, result, changed }: ActivityRecord): string {
  const body = auditView(type).message(votes[0]?.message ?? '');
  return JSON.stringify({ ...(body && { body }), result, ...(changed && { changed }) });
}

function castBy({ id, userId, credentialId, selection, scheme, signature }: ActivityRecord['votes'][number]) {
  return { id, userId, credentialId, selection, scheme, signature };
}

import { publicView } from '../../dialects/redaction.ts';
import type { ActivityRecord } from '../../organizations/activity-record.ts';

/**
 * What a leaf of an activity commits to, as audit files have it. `revision` says which of its leaves.
 * INVARIANT: nothing is in it that the leaf, a stamp or the state that is replayed from earlier leaves does not vouch for.
 * SECURITY: D101: as in every other answer, a stamped body that holds a secret is left out. Where the parent judged, so are the votes
 * and the decision.
 */
export function auditContent(record: ActivityRecord, revision: number): string {
  const { judgedBy, votes, decisions, result, changed } = record;
  const view = publicView(record.type);
  const vote = votes[revision];
  const body = vote && view.message(vote.message);
  const isLast = revision >= votes.length - 1;
  const shown = result === null || view.result(result) !== result ? undefined : result;
  const outcome = isLast ? { ...(shown !== undefined && { result: shown }), ...(changed && { changed }) } : {};
  if (judgedBy !== undefined) return JSON.stringify({ judgedBy, ...(body && { body }), ...outcome });
  return JSON.stringify({
    ...(vote && { vote: { ...castBy(vote), ...(body && { body }) } }),
    ...(decisions[revision] && { decision: decisions[revision] }),
    ...outcome,
  });
}

/** What the leaf of the activity that created an organization shows to that organization. */
export function originContent({ type, votes, result, changed }: ActivityRecord): string {
  const body = publicView(type).message(votes[0]?.message ?? '');
  return JSON.stringify({ ...(body && { body }), result, ...(changed && { changed }) });
}

function castBy({ id, userId, credentialId, selection, scheme, signature }: ActivityRecord['votes'][number]) {
  return { id, userId, credentialId, selection, scheme, signature };
}

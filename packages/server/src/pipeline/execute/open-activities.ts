import type { Limits } from '../../config/limits.ts';
import type { ActivityRecord } from '../../organizations/activity-record.ts';
import type { Change, LocalChange } from '../../organizations/changes.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';
import { limitExceeded } from '../../wire/refuse.ts';
import type { Proposal } from '../context.ts';

const nothing: readonly LocalChange[] = [];

/**
 * The change that keeps the organization's list of waiting activities true as an activity comes to a status, its own by default. Empty where nothing waits,
 * nor did. `made` are the changes that the activity itself makes: one that ends the organization ends the list as well.
 * INVARIANT: an activity waits exactly as long as the list has it, with as many votes as its row.
 */
export function tracking(
  { records }: Snapshot,
  { id, votes, createdAtMs, updatedAtMs, status: own }: ActivityRecord,
  status = own,
  made: readonly Change[] = [],
): readonly LocalChange[] {
  const kind = 'openActivity';
  if (status === 'ACTIVITY_STATUS_CONSENSUS_NEEDED') {
    const body = { submitterId: votes[0]?.userId ?? '', votes: votes.length, createdAtMs, updatedAtMs };
    return [{ op: 'putRecord', kind, id, body }];
  }
  const gone = () => made.some((change) => change.op === 'deleteRecord' && change.kind === kind && change.id === id);
  return records.openActivity.has(id) && !gone() ? [{ op: 'deleteRecord', kind, id }] : nothing;
}

/** Whether a stored activity that waits is one that the organization knows to wait, in this very state. */
export function isTrackedAs({ records }: Snapshot, { id, tracked, votes }: ActivityRecord): boolean {
  const open = records.openActivity.get(id);
  return open === undefined ? tracked === undefined : open.votes === votes.length;
}

/** Bounds what a user can leave waiting. The organization keeps the list in memory, and it belongs to all its users. */
export function requireRoomToWait(
  { target }: Proposal,
  { maxOpenActivities: limit }: Limits,
  { id, votes }: ActivityRecord,
): void {
  const open = target.records.openActivity;
  if (open.has(id)) return;
  const submitterId = votes[0]?.userId;
  let waiting = 0;
  for (const other of open.values()) if (other.submitterId === submitterId) waiting++;
  if (waiting >= limit) throw limitExceeded('activities of a user that wait for approvals', limit, 'maxOpenActivities');
}

import type { Limits } from '../../config/limits.ts';
import type { ActivityRecord } from '../../organizations/activities/activity-record.ts';
import type { Change, LocalChange } from '../../organizations/snapshot/changes.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { limitExceeded } from '../../wire/refuse.ts';
import type { Proposal } from '../context.ts';

const nothing: readonly LocalChange[] = [];

/**
 * The change that updates the organization's list of pending activities when an activity gets a status, by default its own. Empty if the
 * activity is not pending and was not. `made` are the changes of the activity itself: deleting the organization also deletes the list.
 * INVARIANT: an activity is pending exactly as long as the list contains it, with the same number of votes as its row.
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

/** Whether the organization's list contains a stored pending activity in this state. */
export function isTrackedAs({ records }: Snapshot, { id, tracked, votes }: ActivityRecord): boolean {
  const open = records.openActivity.get(id);
  return open === undefined ? tracked === undefined : open.votes === votes.length;
}

/** Limits the pending activities of a user. The list is kept in memory and shared by all users of the organization. */
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
  if (waiting >= limit) throw limitExceeded('pending activities of a user', limit, 'maxOpenActivities');
}

import type { UserRecord } from '../../organizations/records.ts';
import type { RecordPut } from '../../organizations/snapshot/changes.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { notFound, requireDistinct } from '../../wire/refuse.ts';

/** Rejects users that the organization does not have, and duplicates. `field` is the path of the list. */
export function requireUsers(organization: Snapshot, ids: readonly string[], field: string): void {
  for (const [index, id] of ids.entries()) {
    if (!organization.users.has(id)) throw notFound('user', `${field}.${index}`);
  }
  requireDistinct(ids, 'user', field);
}

/** Users with other tags, by their ids. Leaves out users whose tags stay the same. */
export function retagged(
  organization: Snapshot,
  userIds: Iterable<string>,
  retag: (tags: readonly string[]) => readonly string[],
): ReadonlyMap<string, UserRecord> {
  const users = new Map<string, UserRecord>();
  for (const id of userIds) {
    const user = organization.users.get(id);
    const userTags = user && retag(user.userTags);
    if (userTags !== undefined && userTags.length !== user?.userTags.length) users.set(id, { ...(user as UserRecord), userTags });
  }
  return users;
}

/** Changes the tags of users. Skips users whose tags stay the same. */
export function retagUsers(
  organization: Snapshot,
  userIds: Iterable<string>,
  retag: (tags: readonly string[]) => readonly string[],
  nowMs: number,
): RecordPut[] {
  const users = [...retagged(organization, userIds, retag)];
  return users.map(([id, user]) => ({ op: 'putRecord', kind: 'user', id, body: { ...user, updatedAtMs: nowMs } }));
}

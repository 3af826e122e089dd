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

/** Changes the tags of users. Skips users whose tags stay the same. */
export function retagUsers(
  organization: Snapshot,
  userIds: Iterable<string>,
  retag: (tags: readonly string[]) => readonly string[],
  nowMs: number,
): RecordPut[] {
  const changes: RecordPut[] = [];
  for (const id of userIds) {
    const user = organization.users.get(id);
    if (user === undefined) continue;
    const userTags = retag(user.userTags);
    if (userTags.length === user.userTags.length) continue;
    changes.push({ op: 'putRecord', kind: 'user', id, body: { ...user, userTags, updatedAtMs: nowMs } });
  }
  return changes;
}

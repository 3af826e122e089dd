import { requireVisible } from '../../organizations/names.ts';
import type { UserRecord } from '../../organizations/records.ts';
import { usersByName } from '../../organizations/snapshot/indexes.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { nameTaken, notFound } from '../../wire/refuse.ts';

/** Fields of a user to change. Absent fields stay unchanged. */
export type UserChange = Partial<Pick<UserRecord, 'userName' | 'userEmail' | 'userPhoneNumber' | 'userTags'>>;

/** Returns the changed user. Throws NOT_FOUND for an unknown user, and NAME_TAKEN if another user has the name. */
export function changeUser(organization: Snapshot, userId: string, change: UserChange): UserRecord {
  const user = organization.users.get(userId);
  if (user === undefined) throw notFound('user', 'userId');
  if (change.userName !== undefined && change.userName !== user.userName) requireVisible(change.userName, 'userName');
  const namesakes = change.userName === undefined ? undefined : usersByName(organization.users).get(change.userName);
  for (const id of namesakes?.keys() ?? []) if (id !== userId) throw nameTaken('user', 'userName');
  return { ...user, ...change };
}

/** The user that approvers of a change are warned of. A new e-mail address counts as proven, which is the most that can become of it. */
export function expectedUser(
  user: UserRecord,
  { userName = user.userName, userEmail, userTags = user.userTags }: { [K in keyof UserChange]: UserChange[K] | undefined },
): UserRecord {
  if (userEmail === undefined) return { ...user, userName, userTags };
  const { userEmail: _, userEmailState: __, ...rest } = user;
  return { ...rest, userName, userTags, ...(userEmail !== '' && { userEmail }) };
}

import { usersByName } from '../../organizations/indexes.ts';
import type { UserRecord } from '../../organizations/records.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';
import { nameTaken, notFound } from '../../wire/refuse.ts';

/** What a request changes of a user; what is left out stays. */
export type UserChange = Partial<Pick<UserRecord, 'userName' | 'userEmail' | 'userPhoneNumber' | 'userTags'>>;

/** A user as it is after a change. Throws NOT_FOUND for an unknown user, and NAME_TAKEN for the name of another. */
export function changeUser(organization: Snapshot, userId: string, change: UserChange): UserRecord {
  const user = organization.users.get(userId);
  if (user === undefined) throw notFound('user', 'userId');
  const namesakes = change.userName === undefined ? undefined : usersByName(organization.users).get(change.userName);
  for (const id of namesakes?.keys() ?? []) if (id !== userId) throw nameTaken('user', 'userName');
  return { ...user, ...change };
}

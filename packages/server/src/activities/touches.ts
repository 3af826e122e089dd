import type { UserRecord } from '../organizations/records.ts';
import type { Snapshot } from '../organizations/snapshot.ts';
import { isSession } from '../policies/strength.ts';
import type { Touch } from '../policies/subject.ts';

/** What removing API keys of a user touches: a key that a sign-in made is a session. */
export function touchedKeys({ apiKeys }: Snapshot, userId: string, apiKeyIds: readonly string[]): Touch[] {
  return apiKeyIds.map((id) => {
    const session = isSession(apiKeys.get(id) ?? { type: '' });
    return { what: session ? 'SESSION' : 'API_KEY', userId, ends: true };
  });
}

/** What removing a user touches: all that the user has, so the strongest of it. */
export function touchedUser({ authenticators }: Snapshot, userId: string): Touch {
  const hasPasskey = [...authenticators.values()].some((passkey) => passkey.userId === userId);
  return { what: hasPasskey ? 'PASSKEY' : 'API_KEY', userId };
}

/** What a change of a user's record touches. */
export function touchedByChange(userId: string, before: UserRecord, after: UserRecord): Touch[] {
  const touches: Touch[] = [];
  if (after.userName !== before.userName) touches.push({ what: 'NAME', userId, userName: after.userName });
  if (after.userEmail !== before.userEmail || after.userPhoneNumber !== before.userPhoneNumber)
    touches.push({ what: 'CONTACT', userId });
  const tagIds = difference(before.userTags, after.userTags);
  if (tagIds.length > 0) touches.push({ what: 'TAGS', userId, tagIds });
  return touches;
}

/** What new users bring: names, and tags from the start. */
export function touchedByNewUsers(users: readonly Pick<UserRecord, 'userName' | 'userTags'>[]): Touch[] {
  return users.flatMap(({ userName, userTags: tagIds }): Touch[] => [
    { what: 'NAME', userName },
    { what: 'TAGS', tagIds },
  ]);
}

/** Tags that users gain or lose. */
export function touchedTags(userIds: readonly string[], tagIds: readonly string[]): Touch[] {
  return userIds.map((userId) => ({ what: 'TAGS', userId, tagIds }));
}

function difference(before: readonly string[], after: readonly string[]): string[] {
  return [...before.filter((id) => !after.includes(id)), ...after.filter((id) => !before.includes(id))];
}

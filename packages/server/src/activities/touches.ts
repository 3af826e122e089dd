import type { OtpType } from '@countersign/contract';
import { credentialsOfUser, isSession, type StrengthName, strengths, type Touch } from '@countersign/judgement';
import { contactState, usersAt } from '../organizations/contacts.ts';
import type { UserRecord } from '../organizations/records.ts';
import type { Snapshot } from '../organizations/snapshot.ts';

/** What removing API keys of a user touches: a key that a sign-in made is a session. */
export function touchedKeys({ apiKeys }: Snapshot, userId: string, apiKeyIds: readonly string[]): Touch[] {
  return apiKeyIds.map((id) => {
    const session = isSession(apiKeys.get(id) ?? { type: '' });
    return { what: session ? 'SESSION' : 'API_KEY', userId, ends: true };
  });
}

/** What removing a user touches: all that the user has, so the strongest of it. Sessions alone do not remove their user. */
export function touchedUser(organization: Snapshot, userId: string): Touch {
  return { what: strongestHeld(organization, userId) === 'PASSKEY' ? 'PASSKEY' : 'API_KEY', userId };
}

/**
 * What a new or other MFA policy of a user touches. `demanded` is the strength of what it asks for.
 * SECURITY: it decides what every other credential of the user is worth, so it takes the strongest. Otherwise a stolen API key could
 * demand itself beside the passkey, and stay for good.
 */
export function touchedByMfaPolicy(
  organization: Snapshot,
  userId: string,
  demanded: StrengthName,
): Touch & { readonly what: 'MFA' } {
  const held = strongestHeld(organization, userId);
  return { what: 'MFA', userId, strength: strengths[held] > strengths[demanded] ? held : demanded };
}

function strongestHeld({ authenticators, apiKeys }: Snapshot, userId: string): StrengthName {
  if (credentialsOfUser(authenticators, userId).size > 0) return 'PASSKEY';
  const hasKey = [...credentialsOfUser(apiKeys, userId).values()].some(
    (key) => key.restrictedTo === undefined && !isSession(key),
  );
  return hasKey ? 'API_KEY' : 'SESSION';
}

/** What a change of a user's record touches. */
export function touchedByChange(userId: string, before: UserRecord, after: UserRecord): Touch[] {
  const touches: Touch[] = [];
  const names = difference([before.userName], [after.userName]);
  touches.push(...names.map((userName): Touch => ({ what: 'NAME', userId, userName })));
  touches.push(...touchedEmail(userId, before, after.userEmail));
  if (after.userEmail !== before.userEmail || after.userPhoneNumber !== before.userPhoneNumber)
    touches.push({ what: 'CONTACT', userId });
  const tagIds = difference(before.userTags, after.userTags);
  if (tagIds.length > 0) touches.push({ what: 'TAGS', userId, tagIds });
  return touches;
}

/**
 * The e-mail address that a user gives up for another or for none. A new one is no touch: policies do not see it before the user proves
 * it, or the root quorum vouches for it.
 */
export function touchedEmail(userId: string, { userEmail }: UserRecord, after: string | undefined): Touch[] {
  return userEmail === undefined || userEmail === after ? [] : [{ what: 'EMAIL', userId, userEmail }];
}

/** A user to create, as far as others rely on it. */
interface Newcomer {
  readonly userName: string;
  readonly userEmail?: string | undefined;
  readonly userPhoneNumber?: string | undefined;
  readonly userTags: readonly string[];
}

/** What new users bring: names, and perhaps addresses and tags. */
export function touchedByNewUsers(organization: Snapshot, users: readonly Newcomer[]): Touch[] {
  return users.flatMap(({ userName, userEmail, userPhoneNumber, userTags: tagIds }): Touch[] => [
    { what: 'NAME', userName },
    ...(userEmail ? [{ what: 'EMAIL', userEmail } as const] : []),
    ...(tagIds.length > 0 ? [{ what: 'TAGS', tagIds } as const] : []),
    ...sharedContact(organization, 'OTP_TYPE_EMAIL', userEmail),
    ...sharedContact(organization, 'OTP_TYPE_SMS', userPhoneNumber),
  ]);
}

/**
 * The users whose contact becomes ambiguous with a new user who has it too, so that it signs in neither. Who proved a contact, or has it
 * from the root quorum, keeps it alone.
 */
function sharedContact(organization: Snapshot, type: OtpType, contact: string | undefined): Touch[] {
  if (!contact) return [];
  return usersAt(organization, type, contact)
    .filter(({ user }) => contactState(user, type)?.how === 'CREATED')
    .map(({ userId }) => ({ what: 'CONTACT', userId }));
}

/** Tags that users gain or lose. */
export function touchedTags(userIds: readonly string[], tagIds: readonly string[]): Touch[] {
  return userIds.map((userId) => ({ what: 'TAGS', userId, tagIds }));
}

function difference(before: readonly string[], after: readonly string[]): string[] {
  return [...before.filter((id) => !after.includes(id)), ...after.filter((id) => !before.includes(id))];
}

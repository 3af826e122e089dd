import type { OtpType } from '@countersign/contract';
import { credentialsOfUser, isSession, type StrengthName, strengths, type Touch } from '@countersign/judgement';
import { contactState, usersAt } from '../organizations/contacts.ts';
import type { UserRecord } from '../organizations/records.ts';
import type { Snapshot } from '../organizations/snapshot/snapshot.ts';

/** Touches of removing a user's API keys. A key that a sign-in created is a session. */
export function touchedKeys({ apiKeys }: Snapshot, userId: string, apiKeyIds: readonly string[]): Touch[] {
  return apiKeyIds.map((id) => {
    const session = isSession(apiKeys.get(id) ?? { type: '' });
    return { what: session ? 'SESSION' : 'API_KEY', userId, ends: true };
  });
}

/** Touch of removing a user: the strongest credential that the user has. Sessions alone cannot remove their user. */
export function touchedUser(organization: Snapshot, userId: string): Touch {
  return { what: strongestHeld(organization, userId) === 'PASSKEY' ? 'PASSKEY' : 'API_KEY', userId };
}

/**
 * Touch of a new or changed MFA policy. `demanded` is the strength of the credentials that it requires.
 * SECURITY: the policy decides what all other credentials of the user are worth, so the change requires the strongest one. Otherwise a
 * stolen API key could add itself as a requirement next to the passkey, and stay permanently.
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

/** Touches of a change to a user's record. */
export function touchedByChange(userId: string, before: UserRecord, after: UserRecord): Touch[] {
  const touches: Touch[] = [];
  if (before.userName !== after.userName)
    touches.push(
      { what: 'NAME', userId, userName: before.userName, lost: true },
      { what: 'NAME', userId, userName: after.userName },
    );
  touches.push(...touchedEmail(userId, before, after.userEmail));
  if (after.userEmail !== before.userEmail || after.userPhoneNumber !== before.userPhoneNumber)
    touches.push({ what: 'CONTACT', userId });
  return [
    ...touches,
    ...touchedTags([userId], without(after.userTags, before.userTags)),
    ...touchedTags([userId], without(before.userTags, after.userTags), { lost: true }),
  ];
}

/**
 * Touch of the e-mail address that a user replaces or removes. A new address is not a touch: policies do not see it before the user proves
 * it, or the root quorum vouches for it.
 */
export function touchedEmail(userId: string, { userEmail }: UserRecord, after: string | undefined): Touch[] {
  return userEmail === undefined || userEmail === after ? [] : [{ what: 'EMAIL', userId, userEmail, lost: true }];
}

/** The fields of a new user that touches depend on. */
interface Newcomer {
  readonly userName: string;
  readonly userEmail?: string | undefined;
  readonly userPhoneNumber?: string | undefined;
  readonly userTags: readonly string[];
}

/** Touches of new users: names, e-mail addresses, tags and shared contacts. */
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
 * Touches of users whose contact becomes ambiguous because a new user has it too: it then signs in neither of them. A user who proved the
 * contact, or has it from the root quorum, keeps it exclusively.
 */
function sharedContact(organization: Snapshot, type: OtpType, contact: string | undefined): Touch[] {
  if (!contact) return [];
  return usersAt(organization, type, contact)
    .filter(({ user }) => contactState(user, type)?.how === 'CREATED')
    .map(({ userId }) => ({ what: 'CONTACT', userId }));
}

/** Touches of tags that users gain or lose. */
export function touchedTags(userIds: readonly string[], tagIds: readonly string[], how: { readonly lost?: true } = {}): Touch[] {
  return tagIds.length === 0 ? [] : userIds.map((userId) => ({ what: 'TAGS', userId, tagIds, ...how }));
}

function without(all: readonly string[], others: readonly string[]): string[] {
  return all.filter((id) => !others.includes(id));
}

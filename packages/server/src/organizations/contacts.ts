import type { OtpType } from '@countersign/contract';
import { canonicalEmail } from './canonical-email.ts';
import type { ContactState, UserRecord } from './records.ts';
import type { Snapshot } from './snapshot.ts';

/** A user who was found by a way to reach them. */
export interface Contacted {
  readonly userId: string;
  readonly user: UserRecord;
}

/** The fields of a user that hold each kind of contact. */
export const contactFields = {
  OTP_TYPE_EMAIL: { contact: 'userEmail', state: 'userEmailState' },
  OTP_TYPE_SMS: { contact: 'userPhoneNumber', state: 'userPhoneNumberState' },
} as const satisfies Record<OtpType, unknown>;

/** The one form of a contact that others are compared with. */
export function canonicalContact(type: OtpType, contact: string): string {
  return type === 'OTP_TYPE_EMAIL' ? canonicalEmail(contact) : contact;
}

/** How far a user's contact is known to be theirs; undefined where they have none. */
export function contactState(user: UserRecord, type: OtpType): ContactState | undefined {
  const { contact, state } = contactFields[type];
  return user[contact] === undefined ? undefined : (user[state] ?? { how: 'CREATED', atMs: user.createdAtMs });
}

/**
 * A user's contact in its canonical form, where it may sign the user in.
 * SECURITY: an unverified contact is what somebody entered, perhaps their own. It neither signs in nor is found by.
 */
export function signInContact(user: UserRecord, type: OtpType): string | undefined {
  const contact = user[contactFields[type].contact];
  const state = contactState(user, type);
  return contact === undefined || state === undefined || state.how === 'UNVERIFIED' ? undefined : canonicalContact(type, contact);
}

/** The same where the user showed a code that was sent there. */
export function provenContact(user: UserRecord, type: OtpType): string | undefined {
  return contactState(user, type)?.how === 'CODE' ? signInContact(user, type) : undefined;
}

/** How much a state is worth where several users claim one contact. */
const worth: Readonly<Record<ContactState['how'], number>> = { UNVERIFIED: 0, CREATED: 1, QUORUM: 2, CODE: 3 };

/**
 * Who may be signed in by a contact: those who are best known to have it, more than one where users share it.
 * SECURITY: somebody who may make users cannot lock a person out by making another one with the same address.
 */
export function usersAt({ users }: Snapshot, type: OtpType, contact: string): readonly Contacted[] {
  const wanted = canonicalContact(type, contact);
  const found = [...users].filter(([, user]) => signInContact(user, type) === wanted);
  const worthOf = (user: UserRecord) => worth[contactState(user, type)?.how ?? 'UNVERIFIED'];
  const best = Math.max(...found.map(([, user]) => worthOf(user)));
  return found.filter(([, user]) => worthOf(user) === best).map(([userId, user]) => ({ userId, user }));
}

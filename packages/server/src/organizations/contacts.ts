import { indexedBy } from '@countersign/collections';
import type { OtpType } from '@countersign/contract';
import { canonicalEmail, contactFields, contactState } from '@countersign/judgement';
import type { ContactState, UserRecord } from './records.ts';
import type { Snapshot } from './snapshot/snapshot.ts';

export { contactFields, contactState } from '@countersign/judgement';

/** A user found by a contact. */
export interface Contacted {
  readonly userId: string;
  readonly user: UserRecord;
}

/** The canonical form of a contact, for comparing. */
export function canonicalContact(type: OtpType, contact: string): string {
  return type === 'OTP_TYPE_EMAIL' ? canonicalEmail(contact) : contact;
}

/**
 * A user's contact in its canonical form, if it may sign the user in.
 * SECURITY: anyone may have entered an unverified contact, perhaps their own. It is not used for sign-in or lookup.
 */
export function signInContact(user: UserRecord, type: OtpType): string | undefined {
  const contact = user[contactFields[type].contact];
  const state = contactState(user, type);
  return contact === undefined || state === undefined || state.how === 'UNVERIFIED' ? undefined : canonicalContact(type, contact);
}

/** Like `signInContact`, but only if the user proved the contact with a code that was sent there. */
export function provenContact(user: UserRecord, type: OtpType): string | undefined {
  return contactState(user, type)?.how === 'CODE' ? signInContact(user, type) : undefined;
}

/** Ranks states when several users claim one contact. */
const worth: Readonly<Record<ContactState['how'], number>> = { UNVERIFIED: 0, CREATED: 1, QUORUM: 2, CODE: 3 };

const usersByContact: Readonly<Record<OtpType, ReturnType<typeof indexedBy<UserRecord>>>> = {
  OTP_TYPE_EMAIL: indexedBy((user) => [signInContact(user, 'OTP_TYPE_EMAIL')].filter((contact) => contact !== undefined)),
  OTP_TYPE_SMS: indexedBy((user) => [signInContact(user, 'OTP_TYPE_SMS')].filter((contact) => contact !== undefined)),
};

/**
 * The users who may sign in by a contact: those with the strongest proof, several if users share it.
 * SECURITY: so a user who may create users cannot lock a person out by creating another user with the same address.
 */
export function usersAt({ users }: Snapshot, type: OtpType, contact: string): readonly Contacted[] {
  const wanted = canonicalContact(type, contact);
  const found = [...(usersByContact[type](users).get(wanted) ?? [])];
  const worthOf = (user: UserRecord) => worth[contactState(user, type)?.how ?? 'UNVERIFIED'];
  const best = Math.max(...found.map(([, user]) => worthOf(user)));
  return found.filter(([, user]) => worthOf(user) === best).map(([userId, user]) => ({ userId, user }));
}

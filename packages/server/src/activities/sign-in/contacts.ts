import type { OtpType } from '@countersign/contract';
import { canonicalEmail } from '../../organizations/lookups.ts';
import type { UserRecord } from '../../organizations/records.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';
import { invalidField, notFound } from '../../wire/refuse.ts';

/** A user who was found by a way to reach them. */
export interface Contacted {
  readonly userId: string;
  readonly user: UserRecord;
}

/** The one form of a contact that others are compared with. */
export function canonicalContact(type: OtpType, contact: string): string {
  return type === 'OTP_TYPE_EMAIL' ? canonicalEmail(contact) : contact;
}

/** The ways to reach a user. */
interface Contacts {
  readonly userEmail?: string | undefined;
  readonly userPhoneNumber?: string | undefined;
}

/** Whether a user can be reached there. `contact` is in its canonical form. */
export function hasContact({ userEmail, userPhoneNumber }: Contacts, type: OtpType, contact: string): boolean {
  const own = type === 'OTP_TYPE_EMAIL' ? userEmail : userPhoneNumber;
  return own !== undefined && canonicalContact(type, own) === contact;
}

/** Who can be reached at a contact: more than one where users share it. */
export function usersAt({ users }: Snapshot, type: OtpType, contact: string): readonly Contacted[] {
  const wanted = canonicalContact(type, contact);
  return [...users].filter(([, user]) => hasContact(user, type, wanted)).map(([userId, user]) => ({ userId, user }));
}

/**
 * The one user at a contact. `field` is where the request names it.
 * D30: to be called when an activity runs, that is for callers who may do it and may read the organization anyway; everybody else gets
 * the same refusal for an address that is known and for one that is not.
 */
export function requireOne(found: readonly Contacted[], field: string): Contacted {
  const [only, second] = found;
  if (only === undefined) throw notFound('user', field);
  if (second !== undefined)
    throw invalidField(field, 'belongs to more than one user of this organization, so it signs in none of them');
  return only;
}

import type { OtpType } from '@countersign/contract';
import { type Contacted, canonicalContact, signInContact } from '../../organizations/contacts.ts';
import type { UserRecord } from '../../organizations/records.ts';
import { invalidField, notFound } from '../../wire/refuse.ts';

/** Whether a user can sign in with a contact. `contact` is in its canonical form. */
export function hasContact(user: UserRecord, type: OtpType, contact: string): boolean {
  return signInContact(user, type) === contact;
}

/** Sign-in method of a user who proves a contact of this type. */
export function methodOf(type: OtpType): 'EMAIL' | 'SMS' {
  return type === 'OTP_TYPE_EMAIL' ? 'EMAIL' : 'SMS';
}

/** Whether a user to create has a contact. `contact` is in its canonical form. */
export function namesContact(
  { userEmail, userPhoneNumber }: { readonly userEmail?: string | undefined; readonly userPhoneNumber?: string | undefined },
  type: OtpType,
  contact: string,
): boolean {
  const own = type === 'OTP_TYPE_EMAIL' ? userEmail : userPhoneNumber;
  return own !== undefined && canonicalContact(type, own) === contact;
}

/**
 * Returns the only user with a contact. `field` is the path of the contact in the request.
 * D30: call this when an activity runs, that is, for authorized callers who may read the organization anyway. All other callers get the
 * same error for a known and for an unknown address.
 */
export function requireOne(found: readonly Contacted[], field: string): Contacted {
  const [only, second] = found;
  if (only === undefined) throw notFound('user', field);
  if (second !== undefined)
    throw invalidField(field, 'belongs to more than one user of this organization, so it cannot be used to sign in');
  return only;
}

import type { OtpType } from '@countersign/contract';
import { type Contacted, canonicalContact, signInContact } from '../../organizations/contacts.ts';
import type { UserRecord } from '../../organizations/records.ts';
import { invalidField, notFound } from '../../wire/refuse.ts';

/** Whether a user may be signed in by a contact. `contact` is in its canonical form. */
export function hasContact(user: UserRecord, type: OtpType, contact: string): boolean {
  return signInContact(user, type) === contact;
}

/** What a user signs in with who proves a contact. */
export function methodOf(type: OtpType): 'EMAIL' | 'SMS' {
  return type === 'OTP_TYPE_EMAIL' ? 'EMAIL' : 'SMS';
}

/** Whether a user to create names a contact. `contact` is in its canonical form. */
export function namesContact(
  { userEmail, userPhoneNumber }: { readonly userEmail?: string | undefined; readonly userPhoneNumber?: string | undefined },
  type: OtpType,
  contact: string,
): boolean {
  const own = type === 'OTP_TYPE_EMAIL' ? userEmail : userPhoneNumber;
  return own !== undefined && canonicalContact(type, own) === contact;
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

import type { OtpType } from '@countersign/contract';
import type { ContactState, UserRecord } from './records.ts';

/** The user fields of each kind of contact. */
export const contactFields = {
  OTP_TYPE_EMAIL: { contact: 'userEmail', state: 'userEmailState' },
  OTP_TYPE_SMS: { contact: 'userPhoneNumber', state: 'userPhoneNumberState' },
} as const satisfies Record<OtpType, unknown>;

/** How certain it is that a contact belongs to its user. Undefined if the user has no such contact. */
export function contactState(user: UserRecord, type: OtpType): ContactState | undefined {
  const { contact, state } = contactFields[type];
  return user[contact] === undefined ? undefined : (user[state] ?? { how: 'CREATED', atMs: user.createdAtMs });
}

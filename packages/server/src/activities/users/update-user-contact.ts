import type { OtpType } from '@countersign/contract';
import type { LocalChange } from '../../organizations/changes.ts';
import type { PlanContext, RunContext } from '../../pipeline/executor.ts';
import { invalidField } from '../../wire/refuse.ts';
import { canonicalContact } from '../sign-in/contacts.ts';
import { forgetDeadTokens, useUp } from '../sign-in/identity.ts';
import { invalidVerificationToken, requireVerificationToken } from '../sign-in/verification-token.ts';
import { changeUser } from './change-user.ts';

/** A change of one way to reach a user; an empty `contact` takes it away. */
export interface ContactChange {
  readonly userId: string;
  readonly type: OtpType;
  readonly contact: string;
  readonly verificationToken?: string | undefined;
}

const fields = { OTP_TYPE_EMAIL: 'userEmail', OTP_TYPE_SMS: 'userPhoneNumber' } as const;

/** Refuses a change for an unknown user, and a token that goes with no contact. */
export function planContactChange({ organization }: PlanContext, change: ContactChange): ContactChange {
  changeUser(organization, change.userId, {});
  if (change.contact === '' && change.verificationToken !== undefined)
    throw invalidField('verificationToken', 'proves a contact, and there is none to prove where one is removed');
  return change;
}

/** The changes that give a user another contact, or none. A token must prove the new one, and is thereby used. */
export function recordContactChange(
  context: RunContext,
  { userId, type, contact, verificationToken }: ContactChange,
): LocalChange[] {
  const { organization, nowMs } = context;
  const { [fields[type]]: _, ...rest } = changeUser(organization, userId, {});
  const body = { ...rest, ...(contact !== '' && { [fields[type]]: contact }), updatedAtMs: nowMs };
  const put: LocalChange = { op: 'putRecord', kind: 'user', id: userId, body };
  if (verificationToken === undefined) return [put];
  const { claims, digest } = requireVerificationToken(context, verificationToken);
  if (claims.verificationType !== type || claims.contact !== canonicalContact(type, contact))
    throw invalidVerificationToken('it proves another contact than the new one');
  return [...forgetDeadTokens(context), useUp({ digest, deadAtMs: claims.expiresAtMs }, userId, nowMs), put];
}

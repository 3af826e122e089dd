import type { OtpType } from '@countersign/contract';
import { credentialsOfUser, type Touch } from '@countersign/judgement';
import { canonicalContact, contactFields } from '../../organizations/contacts.ts';
import type { UserRecord } from '../../organizations/records.ts';
import type { LocalChange } from '../../organizations/snapshot/changes.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { PlanContext, RunContext } from '../../pipeline/plan/executor.ts';
import { invalidField } from '../../wire/refuse.ts';
import { strengthToSignIn } from '../credentials/inherit-limits.ts';
import { endWithMessage } from '../credentials/mailed-keys.ts';
import { forgetDeadTokens, useUp } from '../sign-in/identity.ts';
import { invalidVerificationToken, requireVerificationToken } from '../sign-in/verification-token.ts';
import { changeUser } from './change-user.ts';

/** A change of a user's contact. An empty `contact` removes it. */
export interface ContactChange {
  readonly userId: string;
  readonly type: OtpType;
  readonly contact: string;
  readonly verificationToken?: string | undefined;
}

/** Rejects a change for an unknown user, and a token without a contact. */
export function planContactChange({ organization }: PlanContext, change: ContactChange): ContactChange {
  changeUser(organization, change.userId, {});
  if (change.contact === '' && change.verificationToken !== undefined)
    throw invalidField('verificationToken', 'must be absent if the contact is removed: there is nothing to prove');
  return change;
}

/**
 * The touch of a change of a contact. Only a contact that the request proves can sign its user in.
 * SECURITY: D375: it then opens sessions without the limits of the credential that submits the request.
 */
export function touchedContact(context: PlanContext, { userId, verificationToken }: ContactChange): Touch {
  return { what: 'CONTACT', userId, ...(verificationToken !== undefined && strengthToSignIn(context, userId)) };
}

/** Returns the changes that replace or remove a user's contact. If there is a token, it must prove the new contact, and is used up. */
export function recordContactChange(
  context: RunContext,
  { userId, type, contact, verificationToken }: ContactChange,
): LocalChange[] {
  const { organization, nowMs } = context;
  const user = changeUser(organization, userId, {});
  const used = verificationToken === undefined ? [] : useToken(context, userId, type, contact, verificationToken);
  const changed = withContact(context, userId, user, type, contact, verificationToken !== undefined);
  return [
    ...used,
    { op: 'putRecord', kind: 'user', id: userId, body: { ...changed, updatedAtMs: nowMs } },
    ...endMailTo(organization, userId, changed, nowMs),
  ];
}

/**
 * Returns the changes if a user's e-mail address is replaced or removed: unused keys and open invitations that were mailed to the old
 * address end.
 * SECURITY: the old address may have been wrong, or another person may read the mailbox.
 */
export function endMailTo(organization: Snapshot, userId: string, after: UserRecord, nowMs: number): LocalChange[] {
  const canonical = (email = '') => canonicalContact('OTP_TYPE_EMAIL', email);
  if (canonical(organization.users.get(userId)?.userEmail) === canonical(after.userEmail)) return [];
  const mailed = [...credentialsOfUser(organization.apiKeys, userId).values()];
  return mailed.flatMap(({ messageId }) => (messageId === undefined ? [] : endWithMessage(organization, messageId, nowMs)));
}

/**
 * Returns the user with the contact replaced or removed. `proven` means that a token of the request proves it.
 * SECURITY: a token proves that a person reads the new address, not that this person is the user. So a contact can sign the user in only if
 * the user submitted and proved it, or the root quorum vouches for it. A contact that another user entered under a policy stays unverified
 * until then.
 */
export function withContact(
  { submitterId, allowedBy, nowMs }: RunContext,
  userId: string,
  user: UserRecord,
  type: OtpType,
  contact: string,
  proven: boolean,
): UserRecord {
  const { contact: field, state } = contactFields[type];
  const { [field]: before, [state]: stateBefore, ...rest } = user;
  if (contact === '') return rest;
  const vouched = allowedBy === 'ROOT_QUORUM';
  const how = proven && (vouched || submitterId === userId) ? 'CODE' : vouched ? 'QUORUM' : 'UNVERIFIED';
  // Submitting the same contact again without proof keeps its verification state. SECURITY: D995: the first proof by a code is kept whatever
  // follows: an auth proxy leads the owner to the organization in which the contact was proven first.
  const same = before !== undefined && canonicalContact(type, before) === canonicalContact(type, contact);
  const kept = same && (how === 'UNVERIFIED' || user[state]?.how === 'CODE');
  return { ...rest, [field]: contact, ...(kept ? stateBefore && { [state]: stateBefore } : { [state]: { how, atMs: nowMs } }) };
}

function useToken(context: RunContext, userId: string, type: OtpType, contact: string, token: string): LocalChange[] {
  const { claims, digest } = requireVerificationToken(context, token);
  if (claims.verificationType !== type || claims.contact !== canonicalContact(type, contact))
    throw invalidVerificationToken('it proves a contact other than the new one');
  return [...forgetDeadTokens(context), useUp({ digest, deadAtMs: claims.expiresAtMs }, userId, context.nowMs)];
}

import type { OtpType } from '@countersign/contract';
import { credentialsOfUser } from '@countersign/judgement';
import type { LocalChange } from '../../organizations/changes.ts';
import { canonicalContact, contactFields } from '../../organizations/contacts.ts';
import type { UserRecord } from '../../organizations/records.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';
import type { PlanContext, RunContext } from '../../pipeline/plan/executor.ts';
import { invalidField } from '../../wire/refuse.ts';
import { endWithMessage } from '../credentials/mailed-keys.ts';
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
 * What ends where a user gets another e-mail address, or none: keys and invitations that were mailed to the old one and not used yet.
 * SECURITY: perhaps the address was wrong, or somebody else reads the mailbox.
 */
export function endMailTo(organization: Snapshot, userId: string, after: UserRecord, nowMs: number): LocalChange[] {
  const canonical = (email = '') => canonicalContact('OTP_TYPE_EMAIL', email);
  if (canonical(organization.users.get(userId)?.userEmail) === canonical(after.userEmail)) return [];
  const mailed = [...credentialsOfUser(organization.apiKeys, userId).values()];
  return mailed.flatMap(({ messageId }) => (messageId === undefined ? [] : endWithMessage(organization, messageId, nowMs)));
}

/**
 * A user with another contact, or none. `proven` where a token of the request proves it.
 * SECURITY: a token proves that somebody reads the new address, not that this somebody is the user. So a contact signs in only where
 * the user themself brought it and proved it, or the root quorum vouches for it. One that a policy let somebody enter waits for that.
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
  // Entering the same contact again without proof takes nothing from what is known of it.
  const same = before !== undefined && canonicalContact(type, before) === canonicalContact(type, contact);
  const kept = same && how === 'UNVERIFIED';
  return { ...rest, [field]: contact, ...(kept ? stateBefore && { [state]: stateBefore } : { [state]: { how, atMs: nowMs } }) };
}

function useToken(context: RunContext, userId: string, type: OtpType, contact: string, token: string): LocalChange[] {
  const { claims, digest } = requireVerificationToken(context, token);
  if (claims.verificationType !== type || claims.contact !== canonicalContact(type, contact))
    throw invalidVerificationToken('it proves another contact than the new one');
  return [...forgetDeadTokens(context), useUp({ digest, deadAtMs: claims.expiresAtMs }, userId, context.nowMs)];
}

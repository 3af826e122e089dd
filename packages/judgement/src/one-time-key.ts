import { credentialsOfUser } from './credentials-by-user.ts';
import type { Judgement } from './judgement.ts';

/**
 * The decision on an activity that was submitted with a one-time key: a key that was sent by mail and is valid for one object of one
 * activity. Undefined for other credentials. `refusal` is a complete message, if there is a specific reason.
 * SECURITY: such a key never counts as an approval, even if its user is a root user. It is only one factor, so it cannot add a passkey for
 * a user with MFA policies. Otherwise read access to the mailbox would be enough to create the second factor.
 */
export function oneTimeKeyDecision({
  organization,
  votes,
  definition,
  subject,
}: Judgement): { readonly allowed: boolean; readonly refusal?: string } | undefined {
  const keyId = organization.apiKeyByPublicKey.get(votes[0]?.publicKey ?? '');
  const restriction = keyId === undefined ? undefined : organization.apiKeys.get(keyId)?.restrictedTo;
  if (restriction === undefined) return undefined;
  if (restriction.activity !== definition.name || restriction.subjectId !== subject.oneTimeSubjectId) return { allowed: false };
  const demandsMore = credentialsOfUser(organization.records.mfaPolicy, votes[0]?.userId ?? '').size > 0;
  if (!demandsMore) return { allowed: true };
  return {
    allowed: false,
    refusal:
      'request not authorized: this user has an MFA policy, and a key that came by mail is not enough to add a passkey. Approve create_authenticators with what the policy demands, or ask the root quorum.',
  };
}

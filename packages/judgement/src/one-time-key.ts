import { credentialsOfUser } from './credentials-by-user.ts';
import type { Judgement } from './judgement.ts';

/**
 * What an activity comes to that was submitted with a one-time key: a key that came by mail and is good for one object of one activity.
 * Undefined where it was submitted with another credential. `refusal` says why not, as a whole message, where there is more to say.
 * SECURITY: such a key never counts as an approval, be its user a root user or not. And it is one factor: to a user with MFA policies it
 * brings no passkey, or whoever reads the mailbox could make the second factor.
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

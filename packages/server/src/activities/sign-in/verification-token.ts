import { ServiceError } from '@countersign/contract';
import { readVerificationToken, type VerificationClaims } from '../../auth/otp/verification-token.ts';
import type { RunContext } from '../../pipeline/plan/executor.ts';

/** A verification token that this organization takes: what it proves, and its name. */
export interface TakenToken {
  readonly claims: VerificationClaims;
  readonly digest: string;
}

/**
 * What a token proves, where it is of this service, alive, issued here or in the parent, and was not used here before. Whoever acts on
 * it writes down that it was used, in the same commit.
 * A token of the parent is good in its sub-organizations, one of a sub-organization nowhere else.
 */
export function requireVerificationToken({ organization, vault, nowMs }: RunContext, text: string): TakenToken {
  const token = readVerificationToken(vault.service, text);
  if (token === undefined || token.claims.expiresAtMs <= nowMs)
    throw invalidVerificationToken('it does not verify, or it has expired');
  const { organizationId } = token.claims;
  if (organizationId !== organization.id && organizationId !== organization.profile.parentId)
    throw invalidVerificationToken('it was issued in another organization');
  if (organization.records.usedToken.has(token.digest)) throw invalidVerificationToken('it was used before');
  return token;
}

/** The refusal of a verification token. `reason` completes the sentence that begins with the token, and quotes nothing of it. */
export function invalidVerificationToken(reason: string): ServiceError {
  return new ServiceError('VERIFICATION_TOKEN_INVALID', `invalid verification token: ${reason}. Verify the contact again.`, {
    violations: [{ field: 'verificationToken', description: reason }],
  });
}

import { ServiceError } from '@countersign/contract';
import { readVerificationToken, type VerificationClaims } from '../../auth/otp/verification-token.ts';
import type { RunContext } from '../../pipeline/plan/executor.ts';

/** A verification token that this organization accepts. */
export interface TakenToken {
  readonly claims: VerificationClaims;
  readonly digest: string;
}

/**
 * Verifies a token: this service issued it in this organization or its parent, it has not expired, and it was not used here before. The
 * caller must record its use in the same commit.
 * A token of the parent is valid in its sub-organizations. A token of a sub-organization is valid only there.
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

/** Error for an invalid verification token. `reason` completes a sentence about the token, and must not quote it. */
export function invalidVerificationToken(reason: string): ServiceError {
  return new ServiceError('VERIFICATION_TOKEN_INVALID', `invalid verification token: ${reason}. Verify the contact again.`, {
    violations: [{ field: 'verificationToken', description: reason }],
  });
}

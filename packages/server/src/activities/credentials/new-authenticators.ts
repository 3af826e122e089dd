import { type AuthenticatorParams, ServiceError } from '@countersign/contract';
import { CredentialError } from '../../auth/credential-error.ts';
import { passkeyRules } from '../../auth/webauthn/passkey-rules.ts';
import { verifyRegistration } from '../../auth/webauthn/registration.ts';
import type { AuthenticatorRecord } from '../../organizations/records.ts';
import type { Taken } from '../../organizations/snapshot/indexes.ts';
import type { PlanContext } from '../../pipeline/plan/executor.ts';

/** A passkey to record, without its owner. */
export type NewAuthenticator = Omit<AuthenticatorRecord, 'userId'>;

/**
 * Verifies passkeys to register. `field` is the path of the list in the parameters. `taken` contains the registered credential ids of the
 * organization, and new ones are added to it.
 */
export async function readAuthenticators(
  context: PlanContext,
  authenticators: readonly AuthenticatorParams[],
  field: string,
  taken: Taken,
): Promise<NewAuthenticator[]> {
  if (authenticators.length === 0) return [];
  const { organization, limits, nowMs } = context;
  const { webauthnRpIds, webauthnAttestationRoots: roots } = limits;
  const { allowedOrigins, requireUserVerification, aaguids } = passkeyRules(organization, await context.parent(), limits);
  const read: NewAuthenticator[] = [];
  for (const [index, { authenticatorName, challenge, attestation }] of authenticators.entries()) {
    const refuse = (message: string, cause?: unknown) =>
      new ServiceError('INVALID_ATTESTATION', `invalid authenticator attestation: ${message}`, {
        cause,
        violations: [{ field: `${field}.${index}.attestation`, description: message }],
      });
    const { publicKeyCose, transports, ...registered } = await verifyRegistration({
      attestation,
      challenge,
      allowedOrigins,
      rpIds: webauthnRpIds.length === 0 ? 'of-origin' : webauthnRpIds,
      requireUserVerification,
      models: aaguids && { aaguids, roots },
      nowMs,
    }).catch((error: unknown) => {
      throw error instanceof CredentialError ? refuse(error.message, error) : error;
    });
    if (taken.has(registered.credentialId)) throw refuse('This passkey is already registered in the organization.');
    taken.add(registered.credentialId);
    read.push({
      ...registered,
      authenticatorName,
      publicKey: publicKeyCose,
      transports: attestation.transports,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    });
  }
  return read;
}

import { type AuthenticatorParams, ServiceError } from '@countersign/contract';
import { CredentialFault } from '../../auth/credential-fault.ts';
import { verifyRegistration } from '../../auth/webauthn-registration.ts';
import type { AuthenticatorRecord } from '../../organizations/records.ts';
import type { PlanContext } from '../../pipeline/executor.ts';

/** A passkey as it will be recorded, but for its owner. */
export type NewAuthenticator = Omit<AuthenticatorRecord, 'userId'>;

/**
 * Checks passkeys to register. `field` is the path of the list in the parameters, `taken` tells which credential ids the
 * organization has already (and grows by the new ones).
 */
export async function readAuthenticators(
  { limits, nowMs }: PlanContext,
  authenticators: readonly AuthenticatorParams[],
  field: string,
  taken: Set<string>,
): Promise<NewAuthenticator[]> {
  const { webauthnOrigins, webauthnRpIds } = limits;
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
      allowedOrigins: webauthnOrigins.length === 0 ? 'any' : webauthnOrigins,
      rpIds: webauthnRpIds.length === 0 ? 'of-origin' : webauthnRpIds,
      requireUserVerification: false,
    }).catch((fault: unknown) => {
      throw fault instanceof CredentialFault ? refuse(fault.message, fault) : fault;
    });
    if (taken.has(registered.credentialId)) throw refuse('This passkey is registered in the organization already.');
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

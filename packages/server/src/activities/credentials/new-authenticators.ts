import { type AuthenticatorParams, ServiceError } from '@countersign/contract';
import { CredentialFault } from '../../auth/credential-fault.ts';
import { verifyRegistration } from '../../auth/webauthn-registration.ts';
import type { AuthenticatorRecord } from '../../organizations/records.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';
import type { PlanContext } from '../../pipeline/executor.ts';

/** A passkey as it will be recorded, but for its owner. */
export type NewAuthenticator = Omit<AuthenticatorRecord, 'userId'>;

/**
 * Checks passkeys to register. `field` is the path of the list in the parameters, `taken` tells which credential ids the
 * organization has already (and grows by the new ones).
 */
export async function readAuthenticators(
  { organization, limits, nowMs }: PlanContext,
  authenticators: readonly AuthenticatorParams[],
  field: string,
  taken: Set<string>,
): Promise<NewAuthenticator[]> {
  const { webauthnRpIds } = limits;
  const origins = passkeyOrigins(organization) ?? limits.webauthnOrigins;
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
      allowedOrigins: origins.length === 0 ? 'any' : origins,
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

/** The organization's own word on where its passkeys are made, if it has one. */
function passkeyOrigins({ profile: { features } }: Snapshot): readonly string[] | undefined {
  return features.find(({ name }) => name === 'FEATURE_NAME_WEBAUTHN_ORIGINS')?.value?.split(',');
}

import { type OauthProviderParams, ServiceError } from '@countersign/contract';
import { identityKey } from '../../organizations/lookups.ts';
import type { OauthProviderRecord } from '../../organizations/records.ts';
import type { PlanContext } from '../../pipeline/executor.ts';
import { notOffered } from '../../pipeline/identities.ts';

/** A link to an identity as it will be recorded, but for its owner. */
export type NewOauthProvider = Omit<OauthProviderRecord, 'userId'>;

/**
 * Reads identities to link. `field` is the path of the list in the parameters, `taken` tells which identities the organization knows
 * already (and grows by the new ones). What is kept is who the token speaks of, not the token.
 * INVARIANT: an identity belongs to one user of an organization, so that it can sign in one user only.
 * The nonce is not looked at: whoever may add credentials to a user links what identity they can show; the next sign-in proves the key.
 */
export function readOauthProviders(
  { identities, nowMs }: PlanContext,
  providers: readonly OauthProviderParams[],
  field: string,
  taken: Set<string>,
): NewOauthProvider[] {
  if (providers.length === 0) return [];
  if (!identities.offered) throw notOffered(field);
  return providers.map(({ providerName, oidcToken }, index) => {
    const path = `${field}.${index}.oidcToken`;
    const { issuer, audience, subject } = identities.require(oidcToken, path);
    const key = identityKey({ issuer, audience, subject });
    if (taken.has(key)) {
      throw new ServiceError(
        'OAUTH_PROVIDER_TAKEN',
        'An OpenID Connect identity can be linked to one user of an organization only. Remove the other link first.',
        { violations: [{ field: path, description: 'This identity is linked already.' }] },
      );
    }
    taken.add(key);
    return { providerName, issuer, audience, subject, createdAtMs: nowMs, updatedAtMs: nowMs };
  });
}

import { type OauthProviderParams, ServiceError } from '@countersign/contract';
import type { OauthProviderRecord } from '../../organizations/records.ts';

/** A link to an identity as it will be recorded, but for its owner. */
export type NewOauthProvider = Omit<OauthProviderRecord, 'userId'>;

/**
 * Reads identities to link. `field` is the path of the list in the parameters.
 * SECURITY: a token is believed only if a trusted issuer signed it. No issuer is trusted, so any token is refused.
 */
export function readOauthProviders(providers: readonly OauthProviderParams[], field: string): NewOauthProvider[] {
  if (providers.length === 0) return [];
  throw new ServiceError(
    'NOT_OFFERED',
    'This server trusts no OpenID Connect issuer, so it cannot register OAuth providers. Send an empty oauthProviders list.',
    { violations: [{ field, description: 'No issuer is configured.' }] },
  );
}

import { type OauthProviderParams, ServiceError } from '@countersign/contract';
import type { OidcIdentity } from '../../auth/oidc/oidc.ts';
import type { OauthProviderRecord } from '../../organizations/records.ts';
import { identityKey, type Taken } from '../../organizations/snapshot/indexes.ts';
import type { PlanContext } from '../../pipeline/plan/executor.ts';
import { notOffered } from '../../pipeline/plan/prepare.ts';
import { invalidField } from '../../wire/refuse.ts';

/** A link to an identity to record, without its owner. */
export type NewOauthProvider = Omit<OauthProviderRecord, 'userId'>;

/** Identities that are already linked in the organization. */
export interface KnownIdentities {
  /** The identities of all users by `identityKey`. New ones are added to it. */
  readonly taken: Taken;
  /** The identities of the user to link. */
  readonly own: readonly OidcIdentity[];
}

/** Returns the OpenID Connect tokens of links to register. */
export function tokensIn(providers: readonly OauthProviderParams[]): string[] {
  return providers.flatMap(({ oidcToken }) => (oidcToken === undefined ? [] : [oidcToken]));
}

/**
 * Reads identities to link to one user. `field` is the path of the list in the parameters. Only the identity is stored, not the token.
 * INVARIANT: an identity belongs to one user of an organization, so that it can sign in only that user.
 * SECURITY: D29: claims alone do not link an identity. They add an audience for an issuer and subject that a token in the list, or an
 * existing link of the user, proves. Otherwise, an attacker could claim the identity of another person first, and that person would sign
 * in, or be looked up, as the wrong user.
 * The nonce is not checked: a caller who may add credentials to a user can link any identity with a valid token. The next sign-in proves
 * the key.
 */
export function readOauthProviders(
  { identities, nowMs }: PlanContext,
  providers: readonly OauthProviderParams[],
  field: string,
  { taken, own }: KnownIdentities,
): NewOauthProvider[] {
  if (providers.length === 0) return [];
  if (!identities.offered) throw notOffered(field);
  const shown = providers.map(({ oidcToken }, index) =>
    oidcToken === undefined ? undefined : identities.require(oidcToken, `${field}.${index}.oidcToken`),
  );
  const proven = new Set([...own, ...shown.filter((token) => token !== undefined)].map(personKey));
  return providers.map(({ providerName, oidcClaims }, index) => {
    const token = shown[index];
    const path = `${field}.${index}.${token === undefined ? 'oidcClaims' : 'oidcToken'}`;
    const { issuer, audience, subject } = token ?? claimed(oidcClaims, path);
    const key = identityKey({ issuer, audience, subject });
    if (taken.has(key)) {
      throw new ServiceError(
        'OAUTH_PROVIDER_TAKEN',
        'An OpenID Connect identity can be linked to only one user of an organization. Remove the other link first.',
        { violations: [{ field: path, description: 'This identity is already linked.' }] },
      );
    }
    taken.add(key);
    return { providerName, issuer, audience, subject, createdAtMs: nowMs, updatedAtMs: nowMs };
  });

  function claimed(claims: OauthProviderParams['oidcClaims'], path: string): OidcIdentity {
    const { iss = '', aud = '', sub = '' } = claims ?? {};
    const identity = { issuer: iss, audience: aud, subject: sub };
    if (!identities.trusts(identity)) {
      throw invalidField(path, 'must have an issuer and an audience that this server is configured to trust');
    }
    if (!proven.has(personKey(identity))) {
      throw invalidField(
        path,
        'must have an issuer and a subject that a token in the same list, or a link of the user, proves: include a token of this person',
      );
    }
    return identity;
  }
}

/** Links as policies see them: with the proven claims, regardless of how the request names the identity. */
export function withClaims(providers: readonly OauthProviderParams[], read: readonly NewOauthProvider[]): OauthProviderParams[] {
  return providers.map((provider, index) => {
    const { issuer = '', audience = '', subject = '' } = read[index] ?? {};
    return { ...provider, oidcClaims: { iss: issuer, aud: audience, sub: subject } };
  });
}

/** Identifies a person at an issuer, independent of the client. */
function personKey({ issuer, subject }: Pick<OidcIdentity, 'issuer' | 'subject'>): string {
  return JSON.stringify([issuer, subject]);
}

import { type OauthProviderParams, ServiceError } from '@countersign/contract';
import { nonceOf, passkeyNonces } from '../../auth/oidc/nonce.ts';
import type { OidcIdentity, VerifiedIdToken } from '../../auth/oidc/oidc.ts';
import type { OauthProviderRecord } from '../../organizations/records.ts';
import { identityKey, type Taken } from '../../organizations/snapshot/indexes.ts';
import type { PlanContext } from '../../pipeline/plan/executor.ts';
import { invalidToken, notOffered } from '../../pipeline/plan/prepare.ts';
import { invalidField } from '../../wire/refuse.ts';

/** A link to an identity to record, without its owner. */
export type NewOauthProvider = Omit<OauthProviderRecord, 'userId'>;

/** Identities that are already linked in the organization. */
export interface KnownIdentities {
  /** The identities of all users by `identityKey`. New ones are added to it. */
  readonly taken: Taken;
  /** The identities of the user to link. */
  readonly own: readonly OidcIdentity[];
  /** Whether the tokens must be bound to the credential that stamps the request. */
  readonly isBound: boolean;
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
 * D276: tokens are bound to the credential that stamps the request, except where a parent decides who a person is: in a sub-organization
 * that it creates, and for a user whose mailbox the token proves.
 */
export function readOauthProviders(
  context: PlanContext,
  providers: readonly OauthProviderParams[],
  field: string,
  { taken, own, isBound }: KnownIdentities,
): NewOauthProvider[] {
  const { identities, nowMs } = context;
  if (providers.length === 0) return [];
  if (!identities.offered) throw notOffered(field);
  const shown = providers.map(({ oidcToken }, index) =>
    oidcToken === undefined ? undefined : identities.require(oidcToken, `${field}.${index}.oidcToken`),
  );
  if (isBound) requireBound(context, shown, field);
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

/**
 * Rejects tokens that are not bound to the credential that stamps the request: the nonce is the SHA-256 of its public key, as for sign-in.
 * SECURITY: otherwise, an attacker with a stolen token could link the victim's identity to a user that the attacker controls, and the
 * victim would sign in there. Any owner of a sub-organization could do this, so only the operator can relax it (bindIdentityLinks).
 */
function requireBound(
  { limits, organization, stampedWith, submittedWith }: PlanContext,
  tokens: readonly (VerifiedIdToken | undefined)[],
  field: string,
): void {
  if (!limits.bindIdentityLinks) return;
  const passkey = organization.records.authenticator.get(submittedWith);
  const nonces = passkey === undefined ? [nonceOf(stampedWith)] : passkeyNonces(passkey);
  const of = passkey === undefined ? `the public key ${stampedWith}` : `the id of the passkey, ${passkey.credentialId},`;
  for (const [index, token] of tokens.entries()) {
    if (token === undefined || nonces.includes(token.nonce ?? '')) continue;
    const problem = `its nonce is not ${nonces[0]}, the SHA-256 in hex of the text of ${of} that stamps this request`;
    throw invalidToken(problem, `${field}.${index}.oidcToken`);
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

import { credentialsOfUser } from '@countersign/judgement';
import { nonceOf } from '../../auth/oidc/nonce.ts';
import type { OidcIdentity, VerifiedIdToken } from '../../auth/oidc/oidc.ts';
import type { LocalChange } from '../../organizations/changes.ts';
import { identityKey, providersByIdentity } from '../../organizations/indexes.ts';
import type { PlanContext } from '../../pipeline/plan/executor.ts';
import { invalidToken } from '../../pipeline/plan/identities.ts';
import { limitExceeded } from '../../wire/refuse.ts';

const FIELD = 'oidcToken';

/** How far the clocks of two nodes may be apart: a token must not be forgotten by one while another would still take it. */
const NODE_CLOCKS_APART_MS = 5 * 60_000;

/** Whom a token signs in, and the changes that make it the only time. */
export interface SignIn {
  readonly userId: string;
  /** The link that it signs in with. */
  readonly providerId: string;
  readonly changes: readonly LocalChange[];
}

/**
 * Whom a token signs in to a key. `publicKeyHex` is the key as the client wrote it.
 * SECURITY: D26: a token serves the key that its nonce was made from, so that whoever sees a token cannot use it for a key of their own.
 * D28: it serves once. D29: it signs in the user that this very issuer, audience and subject are linked to; nothing else in it counts.
 */
export function planSignIn(context: PlanContext, token: string, publicKeyHex: string): SignIn {
  const { organization, identities, nowMs } = context;
  const verified = identities.require(token, FIELD);
  if (verified.nonce !== nonceOf(publicKeyHex))
    throw invalidToken('its nonce is not the SHA-256 of the public key in this request', FIELD);
  if (organization.records.usedToken.has(verified.digest)) throw invalidToken('it was used before', FIELD);
  const { userId, providerId } = linkedUser(context, verified);
  return { userId, providerId, changes: [...forgetDeadTokens(context), useUp(verified, userId, nowMs)] };
}

function linkedUser(context: PlanContext, identity: OidcIdentity): Pick<SignIn, 'userId' | 'providerId'> {
  const { organization, limits, nowMs } = context;
  const wanted = identityKey(identity);
  const [providerId = '', link] = [...(providersByIdentity(organization.records.oauthProvider).get(wanted) ?? [])][0] ?? [];
  if (link === undefined || !organization.users.has(link.userId))
    throw invalidToken('no user of this organization is linked to its issuer, audience and subject', FIELD);
  const { userId } = link;
  const alive = [...credentialsOfUser(organization.records.usedToken, userId).values()].filter((used) => used.deadAtMs > nowMs);
  if (alive.length >= limits.maxUsedTokens)
    throw limitExceeded('sign-ins of a user with tokens that have not expired', limits.maxUsedTokens, 'maxUsedTokens');
  return { userId, providerId };
}

/** A token that is refused for its age need not be remembered. */
export function forgetDeadTokens({ organization, nowMs }: Pick<PlanContext, 'organization' | 'nowMs'>): LocalChange[] {
  return [...organization.records.usedToken]
    .filter(([, { deadAtMs }]) => deadAtMs + NODE_CLOCKS_APART_MS <= nowMs)
    .map(([id]) => ({ op: 'deleteRecord', kind: 'usedToken', id }));
}

/** INVARIANT: written in the very commit that issues the credential, on the version that the token was found unused in. */
export function useUp(
  { digest, deadAtMs }: Pick<VerifiedIdToken, 'digest' | 'deadAtMs'>,
  userId: string,
  nowMs: number,
): LocalChange {
  const body = { userId, deadAtMs, createdAtMs: nowMs, updatedAtMs: nowMs };
  return { op: 'putRecord', kind: 'usedToken', id: digest, body };
}

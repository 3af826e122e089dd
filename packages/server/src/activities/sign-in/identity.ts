import { credentialsOfUser } from '@countersign/judgement';
import { nonceOf } from '../../auth/oidc/nonce.ts';
import type { OidcIdentity, VerifiedIdToken } from '../../auth/oidc/oidc.ts';
import type { LocalChange } from '../../organizations/snapshot/changes.ts';
import { identityKey, providersByIdentity } from '../../organizations/snapshot/indexes.ts';
import type { PlanContext } from '../../pipeline/plan/executor.ts';
import { invalidToken } from '../../pipeline/plan/prepare.ts';
import { limitExceeded } from '../../wire/refuse.ts';

const FIELD = 'oidcToken';

/** Maximum clock difference between two nodes. One node must not forget a token that another would still accept. */
const NODE_CLOCKS_APART_MS = 5 * 60_000;

/** The user that a token signs in, and the changes that prevent a replay of the token. */
export interface SignIn {
  readonly userId: string;
  /** The OAuth provider that links the user to the identity. */
  readonly providerId: string;
  readonly changes: readonly LocalChange[];
}

/**
 * Finds the user that a token signs in. `publicKeyHex` is the session key as the client wrote it.
 * SECURITY: D26: a token is valid only for the key that its nonce was derived from, so that an attacker who sees the token cannot use it
 * for another key. D28: it is valid once. D29: it signs in the user that exactly this issuer, audience and subject are linked to; no other
 * claim counts.
 */
export function planSignIn(context: PlanContext, token: string, publicKeyHex: string): SignIn {
  const { organization, identities, nowMs } = context;
  const verified = identities.require(token, FIELD);
  const nonce = nonceOf(publicKeyHex);
  if (verified.nonce !== nonce) {
    throw invalidToken(`its nonce is not ${nonce}, the SHA-256 in hex of the text of the public key in this request`, FIELD);
  }
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

/** Deletes the records of tokens that are too old to be accepted again. */
export function forgetDeadTokens({ organization, nowMs }: Pick<PlanContext, 'organization' | 'nowMs'>): LocalChange[] {
  return [...organization.records.usedToken]
    .filter(([, { deadAtMs }]) => deadAtMs + NODE_CLOCKS_APART_MS <= nowMs)
    .map(([id]) => ({ op: 'deleteRecord', kind: 'usedToken', id }));
}

/** INVARIANT: written in the commit that issues the credential, on the version in which the token was found unused. */
export function useUp(
  { digest, deadAtMs }: Pick<VerifiedIdToken, 'digest' | 'deadAtMs'>,
  userId: string,
  nowMs: number,
): LocalChange {
  const body = { userId, deadAtMs, createdAtMs: nowMs, updatedAtMs: nowMs };
  return { op: 'putRecord', kind: 'usedToken', id: digest, body };
}

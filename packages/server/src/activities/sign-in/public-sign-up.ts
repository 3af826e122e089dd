import { type ActivityInput, ServiceError } from '@countersign/contract';
import { nonceOf } from '../../auth/oidc/nonce.ts';
import { readVerificationToken } from '../../auth/otp/verification-token.ts';
import type { LocalChange } from '../../organizations/snapshot/changes.ts';
import { type Charge, requireChargeable } from '../../pipeline/execute/daily-quotas.ts';
import type { RunContext } from '../../pipeline/plan/executor.ts';
import { invalidToken } from '../../pipeline/plan/prepare.ts';
import { invalidField } from '../../wire/refuse.ts';
import { authProxyOf, isBySignInKey } from './by-sign-in-key.ts';
import { forgetDeadTokens, useUp } from './identity.ts';

type SignUpRequest = ActivityInput<'createSubOrganization'>;
type RootUser = SignUpRequest['rootUsers'][number];

/** Additional effects of a sign-up that no credential authenticates. */
export interface PublicSignUp {
  readonly charges: readonly Charge[];
  /** Whether the parent states the credentials. False if a stranger wrote them. */
  readonly isStatedByParent: boolean;
  /** Records that the token of an issuer was used, once the user has an id. */
  useIdentity(rootUserId: string): LocalChange[];
}

const stated: PublicSignUp = { charges: [], isStatedByParent: true, useIdentity: () => [] };

/**
 * Checks a sub-organization that the auth proxy creates for a person without a credential.
 * INVARIANT: the person is the only root user, and proves everything that identifies them: the contact by a token of a code, the identity
 * by a token of its issuer, or a new passkey, which identifies nobody else.
 * SECURITY: D843: an unproven contact or identity would lead its owner to an organization of a stranger at their next sign-in.
 */
export async function requirePublicSignUp(context: RunContext, params: SignUpRequest): Promise<PublicSignUp> {
  if (!isBySignInKey(context)) return stated;
  const config = authProxyOf(context);
  const methods = config?.allowedAuthMethods ?? [];
  if (config?.allowSignUp !== true) throw closed();
  const [user, second] = params.rootUsers;
  if (user === undefined || second !== undefined) throw invalidField('rootUsers', 'must contain only the person who signs up');
  if (params.privateKeys !== undefined) throw invalidField('privateKeys', 'cannot be created in a sign-up: use a wallet');
  const charges = [signUpCharge(context)];
  await requireChargeable(context.counters, charges, context.nowMs);
  const none = { charges, isStatedByParent: false, useIdentity: () => [] };
  if (params.verificationToken !== undefined) {
    requireProvenContact(context, params.verificationToken, user, methods);
    return none;
  }
  requireNoContact(user);
  const isIdentity = user.oauthProviders.length > 0;
  if (!methods.includes(isIdentity ? 'oauth' : 'passkey')) throw closed();
  if (!isIdentity) {
    if (user.authenticators.length !== 1)
      throw invalidField(
        'rootUsers.0.authenticators',
        'must contain one new passkey if no token proves a contact or an identity',
      );
    return none;
  }
  return { ...none, useIdentity: useIdentity(context, user) };
}

/** D844: a token for a contact signs up this contact alone. `proveSignUp` verifies the token and the signature by its key. */
function requireProvenContact(
  { organization, identities, vault }: RunContext,
  text: string,
  { userEmail, userPhoneNumber, oauthProviders }: RootUser,
  methods: readonly string[],
): void {
  const token = readVerificationToken(vault.service, text);
  const isEmail = token?.claims.verificationType === 'OTP_TYPE_EMAIL';
  if (!methods.includes(isEmail ? 'email' : 'sms')) throw closed();
  const unproven = isEmail ? userPhoneNumber : userEmail;
  if (unproven !== undefined) throw invalidField(`rootUsers.0.${isEmail ? 'userPhoneNumber' : 'userEmail'}`, NOT_PROVEN);
  if (token?.claims.organizationId !== organization.id) return;
  for (const [index, { oidcToken }] of oauthProviders.entries()) {
    const field = `rootUsers.0.oauthProviders.${index}.oidcToken`;
    if (oidcToken === undefined) throw invalidField(field, 'is required: claims alone prove nothing');
    // SECURITY: D843: the holder of a stolen token cannot add the identity of its owner to their own sub-organization.
    if (identities.require(oidcToken, field).nonce !== nonceOf(token.claims.publicKey ?? ''))
      throw invalidToken('its nonce is not the SHA-256 in hex of the key in verificationToken', field);
  }
}

function useIdentity({ organization, identities, nowMs }: RunContext, user: RootUser): PublicSignUp['useIdentity'] {
  const [provider, more] = user.oauthProviders;
  const field = 'rootUsers.0.oauthProviders.0.oidcToken';
  const oidcToken = provider?.oidcToken;
  if (oidcToken === undefined || more !== undefined)
    throw invalidField('rootUsers.0.oauthProviders', 'must contain one token, of the person who signs up');
  // SECURITY: D843: a token is not a signature over the request. A stolen one must not register a credential of the thief.
  if (user.apiKeys.length > 0 || user.authenticators.length > 0)
    throw invalidField('rootUsers.0', 'must have no other credential than the identity. Add others after the sign-up');
  const token = identities.require(oidcToken, field);
  // D845: a token creates one sub-organization.
  if (organization.records.usedToken.has(token.digest)) throw invalidToken('it was used before', field);
  return (rootUserId) => [...forgetDeadTokens({ organization, nowMs }), useUp(token, rootUserId, nowMs)];
}

const NOT_PROVEN = 'must be proven by verificationToken. Add it after the sign-up';

function requireNoContact({ userEmail, userPhoneNumber }: RootUser): void {
  if (userEmail !== undefined) throw invalidField('rootUsers.0.userEmail', NOT_PROVEN);
  if (userPhoneNumber !== undefined) throw invalidField('rootUsers.0.userPhoneNumber', NOT_PROVEN);
}

/** SECURITY: D845: strangers create a limited number of organizations a day, from all addresses together. */
function signUpCharge({ organization, limits }: RunContext): Charge {
  const limit = { value: limits.maxSignUps, setting: 'maxSignUps', what: 'sign-ups through the auth proxy' };
  return { organizationId: organization.id, name: 'sign-ups', amount: 1, limit };
}

function closed(): ServiceError {
  return new ServiceError(
    'PRECONDITION_FAILED',
    'Signing up is not possible here in this way: the root quorum turns it on with update_auth_proxy_config (allowSignUp and allowedAuthMethods).',
  );
}

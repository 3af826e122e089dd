import { activities, type OauthProviderParams, ServiceError } from '@countersign/contract';
import { canonicalEmail, credentialsOfUser, type Touch } from '@countersign/judgement';
import { signInContact } from '../../organizations/contacts.ts';
import type { UserRecord } from '../../organizations/records.ts';
import { providersByIdentity, takenIn } from '../../organizations/snapshot/indexes.ts';
import { execute, type PlanContext } from '../../pipeline/plan/executor.ts';
import { limitExceeded, notFound } from '../../wire/refuse.ts';
import { hasFeature } from '../sign-in/features.ts';
import { strengthToSignIn } from './inherit-limits.ts';
import { readOauthProviders, tokensIn, withClaims } from './new-oauth-providers.ts';

/** The only issuer that a parent may rely on for verified e-mail addresses. */
const GOOGLE = 'https://accounts.google.com';

export const createOauthProviders = execute(activities.createOauthProviders, {
  locksOrganization: true,

  oidcTokens: ({ oauthProviders }) => tokensIn(oauthProviders),

  async plan(context, params) {
    const { organization, limits, byParent } = context;
    const { userId, oauthProviders } = params;
    const user = organization.users.get(userId);
    if (user === undefined) throw notFound('user', 'userId');
    if (byParent) {
      requireSignInByMail(context);
      requireNoMfa(context, userId);
      requireOwnAddress(context, user, oauthProviders);
    }
    const linked = organization.records.oauthProvider;
    const own = [...credentialsOfUser(linked, userId).values()];
    if (own.length + oauthProviders.length > limits.maxCredentials)
      throw limitExceeded('OAuth providers of a user', limits.maxCredentials, 'maxCredentials');
    const taken = takenIn(providersByIdentity(linked));
    const added = readOauthProviders(context, oauthProviders, 'oauthProviders', { taken, own, isBound: !byParent });
    // A link by a parent counts as proven: the person could sign in by mail anyway.
    const touch: Touch = { what: 'IDENTITY', userId, ...(byParent ? { proven: true } : strengthToSignIn(context, userId)) };
    const parameters = () => ({ oauthProviders: withClaims(oauthProviders, added) });
    return { intent: params, subject: { touches: [touch], parameters }, prepared: { userId, added } };
  },

  async run({ newId }, { prepared: { userId, added } }) {
    const changes = added.map((provider) => ({
      op: 'putRecord' as const,
      kind: 'oauthProvider' as const,
      id: newId(),
      body: { ...provider, userId },
    }));
    return { result: { providerIds: changes.map(({ id }) => id) }, changes };
  },
});

/**
 * Rejects a link by e-mail address if sign-in by e-mail is off.
 * SECURITY: a Google account with the same address must not bypass that setting.
 */
function requireSignInByMail({ organization }: PlanContext): void {
  if (hasFeature(organization, 'FEATURE_NAME_EMAIL_AUTH') || hasFeature(organization, 'FEATURE_NAME_OTP_EMAIL_AUTH')) return;
  throw new ServiceError(
    'PRECONDITION_FAILED',
    'Sign-in by email is off in this organization, so its parent may not link an account by its email address. Its root quorum can turn it on with set_organization_feature and FEATURE_NAME_EMAIL_AUTH or FEATURE_NAME_OTP_EMAIL_AUTH, or a user of the organization can link the account.',
  );
}

/** SECURITY: access to the mailbox is one factor: it allows sign-in by mail. A linked account would count as a second one. */
function requireNoMfa({ organization }: PlanContext, userId: string): void {
  if (credentialsOfUser(organization.records.mfaPolicy, userId).size === 0) return;
  throw new ServiceError(
    'PRECONDITION_FAILED',
    'This user has an MFA policy, so the parent may not link an account by its email address. The user must link it, with the methods that the policy requires.',
  );
}

/**
 * A parent may add only one kind of credential to users of its sub-organizations: a Google account whose verified address is the user's own
 * address. A person who reads that mailbox could sign in by mail anyway.
 */
function requireOwnAddress(
  { organization, identities }: PlanContext,
  user: UserRecord,
  providers: readonly OauthProviderParams[],
): void {
  const address = signInContact(user, 'OTP_TYPE_EMAIL');
  for (const [index, { oidcToken }] of providers.entries()) {
    const field = `oauthProviders.${index}`;
    const token = oidcToken === undefined ? undefined : identities.require(oidcToken, `${field}.oidcToken`);
    const { verifiedEmail } = token ?? {};
    const proven = token?.issuer === GOOGLE && verifiedEmail !== undefined && canonicalEmail(verifiedEmail) === address;
    if (proven) continue;
    throw new ServiceError(
      'ORGANIZATION_MISMATCH',
      `organization mismatch: request is targeting organization (${organization.id}), but voters are in its parent, which may only link an account at Google with the user's own verified email address. Stamp with a credential of the target organization.`,
      { violations: [{ field, description: "must be a Google token with the user's own verified email address" }] },
    );
  }
}

import { hash } from 'node:crypto';
import { activities, ServiceError } from '@countersign/contract';
import { CodeRejected } from '../../auth/oauth2/exchange-code.ts';
import { issueIdentityToken } from '../../auth/oauth2/identity-token.ts';
import { IssuerUnavailable } from '../../auth/oidc/oidc-error.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { requireOauth2Credential, requireProvider } from '../credentials/oauth2-credentials.ts';
import { forgetDeadTokens, useUp } from './identity.ts';

/** RFC 6749 section 4.1.2: providers accept a code for at most 10 minutes. */
const CODE_LIFETIME_MS = 10 * 60_000;
/** Remembered codes and tokens of an organization. */
const MAX_REMEMBERED = 10_000;

export const oauth2Authenticate = execute(activities.oauth2Authenticate, {
  // The provider may be slow, and others must not wait for it. A conflict is tried again without asking the provider again.
  locksOrganization: false,

  async plan(context, params) {
    const { organization } = context;
    const credential = requireOauth2Credential(organization, params.oauth2CredentialId);
    const provider = requireProvider(context, credential.provider);
    const { usedToken } = organization.records;
    // SECURITY: D992: a code counts once here, even if its provider accepts it again.
    const digest = hash('sha256', JSON.stringify(['oauth2-code', credential.provider, credential.clientId, params.authCode]));
    if (usedToken.has(digest)) throw codeRejected('it was used before');
    // SECURITY: D1016: only a commit forgets old ones. If they counted, none would follow.
    if (usedToken.size - forgetDeadTokens(context).length >= MAX_REMEMBERED)
      throw new ServiceError('RATE_LIMIT_EXCEEDED', 'Too many people are signing in. Try again in fifteen minutes.');
    return { intent: params, subject: {}, prepared: { credential, provider, digest } };
  },

  async run(context, { intent, prepared: { credential, provider, digest } }) {
    const { organization, vault, oauth2, submitterId, nowMs } = context;
    const { authCode, redirectUri, codeVerifier, nonce } = intent;
    const { clientId, secretId } = credential;
    const clientSecret = await vault.transfers.readClientSecret(organization.id, secretId);
    const code = { clientId, clientSecret, authCode, redirectUri, codeVerifier };
    let subject: string;
    try {
      subject = await oauth2.personOf(provider, code, organization.id);
    } catch (error) {
      const refusal = refusalFor(error, provider.provider);
      if (refusal === undefined) throw error;
      return { result: { oidcToken: '' }, changes: [], refusal };
    }
    const person = { organizationId: organization.id, provider: provider.provider, clientId, subject, nonce };
    const used = useUp({ digest, deadAtMs: nowMs + CODE_LIFETIME_MS }, submitterId, nowMs);
    return {
      result: { oidcToken: await issueIdentityToken(vault.service, person, nowMs) },
      changes: [...forgetDeadTokens(context), used],
    };
  },
});

function refusalFor(error: unknown, provider: string): ServiceError | undefined {
  if (error instanceof CodeRejected) return codeRejected('the provider does not accept it, or not from this client');
  if (!(error instanceof IssuerUnavailable)) return undefined;
  return new ServiceError(
    'ISSUER_UNAVAILABLE',
    `${provider} does not respond correctly. Start again at the provider: the code may be used up.`,
    { cause: error, reason: error.message },
  );
}

function codeRejected(reason: string): ServiceError {
  return new ServiceError('PRECONDITION_FAILED', `The code cannot be exchanged: ${reason}. Start again at the provider.`, {
    violations: [{ field: 'authCode', description: reason }],
  });
}

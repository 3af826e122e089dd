import { verify } from 'node:crypto';
import type { Oauth2Provider } from '../../config/oauth2-providers.ts';
import type { VaultService } from '../../vault/vault.ts';
import type { OwnTokens } from '../oidc/oidc.ts';
import { p256Key } from '../otp/p256-key.ts';

/** How long a token is valid. */
export const IDENTITY_TOKEN_SECONDS = 300;

/** A person at a provider, as an organization's client learned it. */
export interface ProvenPerson {
  readonly organizationId: string;
  readonly provider: string;
  readonly clientId: string;
  readonly subject: string;
  /** The SHA-256 of the text of the only key that may use the token. */
  readonly nonce: string;
}

const PREFIX = 'urn:countersign:oauth2:';

/**
 * The issuer of tokens about people at a provider.
 * SECURITY: D991: it contains the organization and the provider. What a provider says therefore identifies nobody at another provider or
 * issuer, and what one organization learned identifies nobody in the others.
 */
export function issuerFor(organizationId: string, provider: string): string {
  return `${PREFIX}${organizationId}:${provider}`;
}

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const HEADER = base64url({ typ: 'JWT', alg: 'ES256' });

/** Issues a token in the form of an ID token. */
export async function issueIdentityToken(
  service: Pick<VaultService, 'attest'>,
  { organizationId, provider, clientId, subject, nonce }: ProvenPerson,
  nowMs: number,
): Promise<string> {
  const iat = Math.floor(nowMs / 1000);
  const payload = base64url({
    iss: issuerFor(organizationId, provider),
    aud: clientId,
    sub: subject,
    nonce,
    iat,
    exp: iat + IDENTITY_TOKEN_SECONDS,
  });
  const signed = `${HEADER}.${payload}`;
  const signature = await service.attest('identityTokenSigner', Buffer.from(signed));
  return `${signed}.${Buffer.from(signature).toString('base64url')}`;
}

/** Recognizes the tokens of this server, for the providers in the operator's settings. */
export function createOwnTokens(
  providers: readonly Oauth2Provider[],
  { publicKeys }: Pick<VaultService, 'publicKeys'>,
): OwnTokens {
  const names = new Set(providers.map(({ provider }) => provider));
  return {
    offered: names.size > 0,
    maxTokenSeconds: IDENTITY_TOKEN_SECONDS,
    isIssuer: (issuer) => issuer.startsWith(PREFIX) && names.has(issuer.slice(issuer.lastIndexOf(':') + 1)),
    isSigned(compact) {
      const [header, payload, signature = ''] = compact.split('.');
      if (header !== HEADER) return false;
      const key = p256Key(publicKeys.identityTokenSigner);
      const bytes = Buffer.from(signature, 'base64url');
      return verify('sha256', Buffer.from(`${header}.${payload}`), { key, dsaEncoding: 'ieee-p1363' }, bytes);
    },
  };
}

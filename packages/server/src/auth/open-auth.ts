import type { Config } from '../config/settings.ts';
import type { VaultService } from '../vault/vault.ts';
import { VerifierCache } from './api-key/schemes.ts';
import { createOwnTokens } from './oauth2/identity-token.ts';
import { createOauth2, type Oauth2 } from './oauth2/oauth2.ts';
import { createKeySets } from './oidc/key-sets.ts';
import { createOidc, type Oidc } from './oidc/oidc.ts';
import type { PasskeyDefaults } from './webauthn/passkey-rules.ts';

/** Configuration for verifying stamps. */
export interface StampRules {
  readonly verifiers: VerifierCache;
  readonly passkeys: PasskeyDefaults;
}

/** Verifies stamps and OpenID Connect tokens, and exchanges OAuth 2 codes. */
export interface Auth {
  readonly stampRules: StampRules;
  readonly oidc: Oidc;
  readonly oauth2: Oauth2;
}

export function openAuth(
  { oidcIssuers, oauth2Providers }: Config,
  passkeys: PasskeyDefaults,
  service: Pick<VaultService, 'publicKeys'>,
): Auth {
  return {
    stampRules: { verifiers: new VerifierCache(), passkeys },
    oidc: createOidc(oidcIssuers, createKeySets(), createOwnTokens(oauth2Providers, service)),
    oauth2: createOauth2(oauth2Providers),
  };
}

import type { Config } from '../config/settings.ts';
import { VerifierCache } from './api-key/schemes.ts';
import { createKeySets } from './oidc/key-sets.ts';
import { createOidc, type Oidc } from './oidc/oidc.ts';
import type { PasskeyDefaults } from './webauthn/passkey-rules.ts';

/** Configuration for verifying stamps. */
export interface StampRules {
  readonly verifiers: VerifierCache;
  readonly passkeys: PasskeyDefaults;
}

/** Verifies stamps and OpenID Connect tokens. */
export interface Auth {
  readonly stampRules: StampRules;
  readonly oidc: Oidc;
}

export function openAuth({ oidcIssuers }: Config, passkeys: PasskeyDefaults): Auth {
  return { stampRules: { verifiers: new VerifierCache(), passkeys }, oidc: createOidc(oidcIssuers, createKeySets()) };
}

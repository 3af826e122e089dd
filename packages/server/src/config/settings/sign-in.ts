import { z } from 'zod';
import { oauth2Providers } from '../oauth2-providers.ts';
import type { Setting } from '../setting.ts';
import { certificates, flag, list, whole } from '../setting-values.ts';
import { trustedIssuers } from '../trusted-issuers.ts';

/** Passkeys and OpenID Connect. */
export const signInSettings = {
  webauthnOrigins: {
    schema: list,
    default: '',
    describe:
      'Origins whose passkeys are accepted if an organization and its parent list none, comma-separated; if empty, only the origins of the relying party: its domain and subdomains',
    form: 'list',
  },
  webauthnRpIds: {
    schema: list,
    default: '',
    describe: 'Relying-party ids whose passkeys are accepted, comma-separated; if empty, the host of the origin',
    form: 'list',
  },
  webauthnUserVerification: {
    schema: z.enum(['required', 'preferred'], 'must be required or preferred'),
    default: 'required',
    describe:
      'Whether a passkey must verify the person by PIN or biometrics, if an organization and its parent do not set it: required or preferred',
  },
  webauthnAttestationRoots: {
    schema: certificates,
    default: '',
    describe:
      'Root certificates of authenticator manufacturers, in PEM, for FEATURE_NAME_WEBAUTHN_AAGUIDS; usually set as a file with COUNTERSIGN_WEBAUTHN_ATTESTATION_ROOTS_FILE',
  },
  oidcIssuers: {
    schema: trustedIssuers,
    default: '[]',
    describe:
      'Trusted OpenID Connect issuers, as JSON: [{"issuer":"https://…","audiences":["<client id>"]}]; also authorizedParties, allowPrivateAddress, maxTokenSeconds, jwksUri, authorizationEndpoint',
    form: 'json',
  },
  oauth2Providers: {
    schema: oauth2Providers,
    default: '[]',
    describe:
      'OAuth 2 providers that organizations may register clients of, as JSON: [{"provider":"OAUTH2_PROVIDER_DISCORD"}]; others than X and Discord also need tokenEndpoint, userinfoEndpoint and subject; also clientAuthentication (basic or post), allowPrivateAddress',
    form: 'json',
  },
  captchaVerifyUrl: {
    schema: z.url('must be an address').regex(/^https?:/, 'must begin with http:// or https://'),
    describe:
      'Address at which the provider of captchas checks answers (siteverify), for auth proxies with captchaEnabled; for example https://challenges.cloudflare.com/turnstile/v0/siteverify or https://api.hcaptcha.com/siteverify',
  },
  captchaSecret: { schema: z.string().min(1), describe: 'Secret key for the provider of captchas', secret: true },
  captchaSiteKey: { schema: z.string().min(1).max(256), describe: 'Public key that pages show the captcha with' },
  bindIdentityLinks: {
    schema: flag,
    default: 'true',
    describe:
      'Link an OpenID Connect identity to a user, also in create_users, only with a token whose nonce is the SHA-256 (hex) of the text of the public key that stamps the request, or of the credential id or compressed public key (hex) of a passkey; false for clients that cannot choose the nonce',
  },
  rpcApprovalSeconds: {
    schema: whole(0, 60),
    default: '10',
    describe:
      'Seconds that a request of the JSON-RPC endpoint waits for approvals before its response says that it is pending; 0 to respond immediately',
  },
  rpcReadsPerUser: {
    schema: whole(0, 100_000),
    default: '10',
    describe:
      'Reads of chains per second that a process sends to chain endpoints for the JSON-RPC calls of one user, and five times as many for an organization and its sub-organizations; 0 to offer no reads',
  },
} as const satisfies Record<string, Setting>;

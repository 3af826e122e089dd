/** Where people who have no credential yet sign in, without a stamp. The paths and fields are those that published clients know. */
export const RELAY_PATH = '/auth-proxy/v1';

/** The header that names the organization. */
export const RELAY_HEADER = 'X-Auth-Proxy-Config-ID';

/**
 * What the relay asks the service for, by its path.
 * SECURITY: D216: a sign-in key signs only these four types. A policy has to allow the sign-in user each of them.
 */
export const relayedTypes = {
  otp_init: 'ACTIVITY_TYPE_INIT_OTP',
  otp_verify: 'ACTIVITY_TYPE_VERIFY_OTP',
  otp_login: 'ACTIVITY_TYPE_OTP_LOGIN',
  oauth_login: 'ACTIVITY_TYPE_OAUTH_LOGIN',
} as const;

export type RelayedName = keyof typeof relayedTypes;

/** The condition of a policy that allows only these types. */
export const relayCondition = `activity.type in [${Object.values(relayedTypes)
  .map((type) => `'${type}'`)
  .join(', ')}]`;

/** An issuer that a browser can be sent to. */
export interface SignInIssuer {
  readonly issuer: string;
  readonly clientId: string;
  readonly authorizationEndpoint: string;
}

/** Which ways to sign in an organization has open: the answer at `wallet_kit_config`. */
export interface SignInWays {
  readonly organizationId: string;
  readonly enabledProviders: readonly ('email' | 'oauth')[];
  readonly sessionExpirationSeconds: string;
  readonly openIdConnect: readonly SignInIssuer[];
}

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

/**
 * What the auth proxy of an organization asks for in addition. A policy has to allow the sign-in user each of them.
 * SECURITY: D840: `signup` creates a sub-organization, so policies written for `relayedTypes` do not allow it.
 */
export const proxiedTypes = {
  otp_init_v2: 'ACTIVITY_TYPE_INIT_OTP_V3',
  otp_verify_v2: 'ACTIVITY_TYPE_VERIFY_OTP_V2',
  signup: 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7',
  oauth2_authenticate: 'ACTIVITY_TYPE_OAUTH2_AUTHENTICATE',
} as const;

/** Every type that a sign-in key signs. */
export const signInTypes: readonly string[] = [...Object.values(relayedTypes), ...Object.values(proxiedTypes)];

/** The condition of a policy that allows only these types. */
export const relayCondition = conditionFor(Object.values(relayedTypes));

/** The condition of a policy that allows what the auth proxy asks for. */
export const authProxyCondition = conditionFor(signInTypes);

function conditionFor(types: readonly string[]): string {
  return `activity.type in [${types.map((type) => `'${type}'`).join(', ')}]`;
}

/** An issuer that a browser can be sent to. */
export interface SignInIssuer {
  readonly issuer: string;
  readonly clientId: string;
  readonly authorizationEndpoint: string;
}

/** Which ways to sign in an organization has open: the answer at `wallet_kit_config`. */
export interface SignInWays {
  readonly organizationId: string;
  readonly enabledProviders: readonly string[];
  readonly sessionExpirationSeconds: string;
  readonly openIdConnect: readonly SignInIssuer[];
  /** What published React components read. Only with an auth proxy. */
  readonly oauthClientIds?: Readonly<Record<string, string | undefined>>;
  readonly oauthRedirectUrl?: string;
  readonly otpAlphanumeric?: boolean;
  readonly otpLength?: string;
}

import { z } from 'zod';
import { sessionPublicKey } from './shapes/bundles.ts';
import { oidcToken } from './shapes/credentials.ts';
import { otpCode } from './shapes/messages.ts';
import { email, flag, id } from './shapes/primitives.ts';
import { clientSignature, verificationToken } from './shapes/verification.ts';

/** Where people who have no credential yet sign in, without a stamp. The paths and fields are those that published clients know. */
export const RELAY_PATH = '/auth-proxy/v1';

/** The header that names the organization. */
export const RELAY_HEADER = 'X-Auth-Proxy-Config-ID';

/** The lifetime of a verification token that the relay asks for, in seconds: long enough to log in with it at once. */
const TOKEN_SECONDS = '300';

/**
 * What the relay asks the service for in the name of an organization's sign-in user.
 * SECURITY: these four types and no others are signed with a sign-in key. None of them takes a lifetime or a session profile from outside.
 */
export const relayed = {
  otp_init: {
    activity: 'initOtp',
    type: 'ACTIVITY_TYPE_INIT_OTP',
    input: z.strictObject({ otpType: z.literal('OTP_TYPE_EMAIL'), contact: email }),
    fixed: {},
  },
  otp_verify: {
    activity: 'verifyOtp',
    type: 'ACTIVITY_TYPE_VERIFY_OTP',
    // SECURITY: the key is required here, so that no token of the relay is good for whoever holds it.
    input: z.strictObject({ otpId: id, otpCode, publicKey: sessionPublicKey }),
    fixed: { expirationSeconds: TOKEN_SECONDS },
  },
  otp_login: {
    activity: 'otpLogin',
    type: 'ACTIVITY_TYPE_OTP_LOGIN',
    input: z.strictObject({ verificationToken, publicKey: sessionPublicKey, clientSignature, invalidateExisting: flag }),
    fixed: {},
  },
  oauth_login: {
    activity: 'oauthLogin',
    type: 'ACTIVITY_TYPE_OAUTH_LOGIN',
    input: z.strictObject({ oidcToken, publicKey: sessionPublicKey, invalidateExisting: flag }),
    fixed: {},
  },
} as const;

export type RelayedName = keyof typeof relayed;

/** The types that a sign-in key signs, and that a policy must allow the sign-in user. */
export const relayedTypes: readonly string[] = Object.values(relayed).map(({ type }) => type);

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

import { z } from 'zod';
import { type RelayedName, relayedTypes } from './relay-address.ts';
import { builtInProfiles } from './session-profiles.ts';
import { sessionPublicKey } from './shapes/bundles.ts';
import { oidcToken } from './shapes/credentials.ts';
import { otpCode } from './shapes/messages.ts';
import { email, flag, id } from './shapes/primitives.ts';
import { clientSignature, verificationToken } from './shapes/verification.ts';

/** The lifetime of a verification token that the relay asks for, in seconds: long enough to log in immediately. */
const TOKEN_SECONDS = '300';

/** The profile that the console asks for. */
const sessionProfileId = z.literal(builtInProfiles.consoleWithoutPasskey.sessionProfileId).optional();

/**
 * What the relay takes, and the activity that it asks for. `fixed` are parameters that the caller cannot choose.
 * SECURITY: D219: nothing here takes a lifetime of a session. The only session profile that it takes allows less than none.
 */
export const relayed = {
  otp_init: {
    activity: 'initOtp',
    type: relayedTypes.otp_init,
    input: z.strictObject({ otpType: z.literal('OTP_TYPE_EMAIL'), contact: email }),
    fixed: {},
  },
  otp_verify: {
    activity: 'verifyOtp',
    type: relayedTypes.otp_verify,
    // SECURITY: A76: the key is required here, so that a stolen token of the relay is useless without it.
    input: z.strictObject({ otpId: id, otpCode, publicKey: sessionPublicKey }),
    fixed: { expirationSeconds: TOKEN_SECONDS },
  },
  otp_login: {
    activity: 'otpLogin',
    type: relayedTypes.otp_login,
    input: z.strictObject({
      verificationToken,
      publicKey: sessionPublicKey,
      clientSignature,
      invalidateExisting: flag,
      sessionProfileId,
    }),
    fixed: {},
  },
  oauth_login: {
    activity: 'oauthLogin',
    type: relayedTypes.oauth_login,
    input: z.strictObject({ oidcToken, publicKey: sessionPublicKey, invalidateExisting: flag, sessionProfileId }),
    fixed: {},
  },
} as const satisfies Record<RelayedName, object>;

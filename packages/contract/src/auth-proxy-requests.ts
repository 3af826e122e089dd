import { z } from 'zod';
import { sessionPublicKey } from './shapes/bundles.ts';
import { apiKeyParams, authenticatorParams, oauthProviderParams, oidcToken } from './shapes/credentials.ts';
import { contactMisfit, fitsContact, otpCode, otpTypes } from './shapes/messages.ts';
import { oauth2ClientId, oauth2Code, oauth2ProviderName } from './shapes/oauth2.ts';
import { email, flag, id, label, phoneNumber } from './shapes/primitives.ts';
import { clientSignature, encryptedOtpBundle, verificationToken } from './shapes/verification.ts';
import { walletParams } from './shapes/wallets.ts';

/** An organization that the request names: a sub-organization of the one with the auth proxy. */
const organizationId = id.optional();

const otpInit = z
  .strictObject({ otpType: z.enum(otpTypes), contact: z.string().max(254, 'must have at most 254 characters') })
  .refine(fitsContact, contactMisfit);

const otpLogin = z.strictObject({
  verificationToken,
  publicKey: sessionPublicKey,
  clientSignature,
  invalidateExisting: flag,
  organizationId,
});

const credentials = <T extends z.ZodType>(item: T) => z.array(item).max(10, 'must have at most 10 items');

const signUp = z.strictObject({
  userName: label.optional(),
  userEmail: email.optional(),
  userPhoneNumber: phoneNumber.optional(),
  organizationName: label.optional(),
  verificationToken: verificationToken.optional(),
  clientSignature: clientSignature.optional(),
  apiKeys: credentials(apiKeyParams),
  authenticators: credentials(authenticatorParams),
  oauthProviders: credentials(oauthProviderParams),
  wallet: walletParams.optional(),
});

const account = z.strictObject({
  filterType: z.enum(['EMAIL', 'PHONE_NUMBER', 'OIDC_TOKEN']),
  filterValue: z.string().min(1, 'must not be empty').max(16_384, 'must have at most 16384 characters'),
  verificationToken: verificationToken.optional(),
  oidcToken: oidcToken.optional(),
});

/**
 * The requests that an auth proxy takes, by path.
 * SECURITY: D847: nothing here takes a lifetime, a session profile or the text of a message. Those are in the configuration.
 */
export const authProxyRequests = {
  wallet_kit_client_params: z.unknown(),
  otp_init: otpInit,
  otp_init_v2: otpInit,
  otp_verify: z.strictObject({ otpId: id, otpCode, publicKey: sessionPublicKey }),
  otp_verify_v2: z.strictObject({ otpId: id, encryptedOtpBundle }),
  otp_login: otpLogin,
  otp_login_v2: otpLogin,
  oauth_login: z.strictObject({ oidcToken, publicKey: sessionPublicKey, invalidateExisting: flag, organizationId }),
  oauth2_authenticate: z.strictObject({ provider: oauth2ProviderName, clientId: oauth2ClientId, ...oauth2Code }),
  signup: signUp,
  signup_v2: signUp,
  account,
} as const;

/** A path of an auth proxy. */
export type AuthProxyRequestName = keyof typeof authProxyRequests;

/** The parameters of the login that an attested stamp is made for. */
export const attestedLoginRequest = z.strictObject({
  publicKey: sessionPublicKey,
  expirationSeconds: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, 'must be a whole number of seconds, as a string')
    .optional(),
  invalidateExisting: flag,
  sessionProfileId: z.string().max(128).optional(),
});

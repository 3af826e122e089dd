import { z } from 'zod';
import { policyMarks } from '../policy-view/marks.ts';
import { emailCustomization, mailSender, smsCustomization } from './messages.ts';
import { flag } from './primitives.ts';
import { walletParams } from './wallets.ts';

/** The ways to sign in that an auth proxy can offer. `oauth` stands for every trusted OpenID Connect issuer. */
export const authMethods = ['email', 'sms', 'passkey', 'oauth'] as const;

/** A way to sign in through an auth proxy. */
export type AuthMethod = (typeof authMethods)[number];

const origins = z
  .array(z.string().min(1, 'must not be empty').max(512, 'must have at most 512 characters'))
  .max(100, 'must have at most 100 items');

const wholeSeconds = (min: number, max: number) =>
  z.int().min(min, `must be from ${min} to ${max}`).max(max, `must be from ${min} to ${max}`);

const name = z.string().max(128, 'must have at most 128 characters');

/** The providers that published React components have a button for. */
const socialProviders = ['google', 'apple', 'facebook', 'x', 'discord'] as const;

const clientId = z.string().min(1).max(512).optional();

/** What published React components read from the configuration. */
const walletKitSettings = z
  .strictObject({
    enabledSocialProviders: z.array(name.min(1)).max(20).optional().describe('Names of buttons, such as google'),
    oauthClientIds: z
      .strictObject(Object.fromEntries(socialProviders.map((provider) => [provider, clientId])))
      .optional()
      .describe('The client id of each of them'),
    oauthRedirectUrl: z.string().min(1).max(2048).optional().describe('The page that an issuer returns to'),
  })
  .meta({ id: 'WalletKitSettingsParams' });

/** The configuration of an auth proxy. Every field is optional: what a request omits stays as it is. */
export const authProxyConfigParams = z
  .strictObject({
    allowedOrigins: origins
      .optional()
      .describe('Exact origins of the pages that may call the auth proxy. None by default: then no page may'),
    allowedAuthMethods: z.array(z.enum(authMethods)).max(authMethods.length).optional().describe('None by default'),
    allowSignUp: flag.describe('Whether people without an account get a sub-organization'),
    ...mailSender,
    emailCustomizationParams: emailCustomization.optional().describe('How emails with codes look'),
    smsCustomizationParams: smsCustomization.optional(),
    walletKitSettings: walletKitSettings.optional(),
    otpExpirationSeconds: wholeSeconds(60, 600).optional().describe('Lifetime of a code. 300 by default'),
    verificationTokenExpirationSeconds: wholeSeconds(60, 86_400)
      .optional()
      .describe('Time from the code to the sign-up or login. 300 by default'),
    sessionExpirationSeconds: wholeSeconds(60, 2_592_000)
      .optional()
      .describe('Longest lifetime of a session. 900 by default. Requests can ask for less'),
    sessionProfileId: name
      .optional()
      .register(policyMarks, { resolved: 'the session profile of the configuration' })
      .describe('The session profile of every session. Empty for none'),
    otpAlphanumeric: z.boolean().optional().describe('False for digits only. True by default'),
    otpLength: wholeSeconds(6, 9).optional().describe('Characters of a code. 9 by default'),
    captchaEnabled: flag.describe('Whether codes and sign-ups need a captcha. The operator configures its provider'),
    verificationTokenRequiredForGetAccountPii: z
      .literal(true)
      .optional()
      .describe('Always true: an account is found by a contact only with a token that proves the contact'),
    wallet: walletParams.optional().describe('The wallet of every new sub-organization, instead of the one in the request'),
  })
  .meta({ id: 'AuthProxyConfigParams' });

/** The configuration of an auth proxy, as a request writes it. */
export type AuthProxyConfigParams = z.output<typeof authProxyConfigParams>;

/** The configuration as queries show it. */
export const authProxyConfig = authProxyConfigParams
  .extend({ configId: z.string().describe('The value of X-Auth-Proxy-Config-ID: the id of the organization') })
  .meta({ id: 'AuthProxyConfig' });

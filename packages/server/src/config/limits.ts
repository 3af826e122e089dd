import type { Config } from './settings.ts';

/** The bounds of an organization: every setting whose name begins with `max`. */
type Bounds = { readonly [N in keyof Config as N extends `max${string}` ? N : never]: Config[N] };

/**
 * The part of the configuration that activities can read: limits and a few other settings.
 * SECURITY: it contains no password, URL or key, so no executor can show or store one.
 */
export type Limits = Bounds &
  Pick<
    Config,
    | 'billingTiers'
    | 'bindIdentityLinks'
    | 'grantedFeatures'
    | 'mailFrom'
    | 'mailSenders'
    | 'mailTemplateDir'
    | 'webauthnAttestationRoots'
    | 'webauthnOrigins'
    | 'webauthnRpIds'
    | 'webauthnUserVerification'
  > & {
    /** Whether mail is sent. Without a mail server it stays in the development mailbox. */
    readonly sendsMail: boolean;
    /** Whether a gateway for text messages is configured. */
    readonly sendsSms: boolean;
  };

/** The limits that a configuration sets for all organizations. */
export function limitsFrom(config: Config): Limits {
  const {
    billingTiers,
    bindIdentityLinks,
    grantedFeatures,
    mailFrom,
    mailSenders,
    mailTemplateDir,
    webauthnAttestationRoots,
    webauthnOrigins,
    webauthnRpIds,
    webauthnUserVerification,
    smtpUrl,
    smsUrl,
  } = config;
  const bounds = Object.fromEntries(Object.entries(config).filter(([name]) => name.startsWith('max'))) as Bounds;
  return {
    ...bounds,
    billingTiers,
    bindIdentityLinks,
    grantedFeatures,
    mailSenders,
    webauthnAttestationRoots,
    webauthnOrigins,
    webauthnRpIds,
    webauthnUserVerification,
    ...(mailFrom !== undefined && { mailFrom }),
    ...(mailTemplateDir !== undefined && { mailTemplateDir }),
    sendsMail: smtpUrl !== undefined,
    sendsSms: smsUrl !== undefined,
  };
}

/** The limits of an organization: those of its active tier if that tier still exists, otherwise the operator's defaults. */
export function effectiveLimits(
  { profile: { billingTier } }: { readonly profile: { readonly billingTier?: string | undefined } },
  limits: Limits,
): Limits {
  const tier = billingTier === undefined ? undefined : limits.billingTiers[billingTier];
  return tier === undefined ? limits : ({ ...limits, ...tier } as Limits);
}

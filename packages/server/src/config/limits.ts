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
    | 'grantedBillingTiers'
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
    grantedBillingTiers,
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
    grantedBillingTiers,
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

/** The part of an organization that its tier depends on. */
interface Billed {
  readonly id: string;
  readonly profile: { readonly billingTier?: string | undefined; readonly first?: true | undefined };
}

/**
 * Whether the operator lets an organization use a tier. The first organization belongs to the operator and may use all of them.
 * SECURITY: D308: a tier raises limits that protect the operator, so a tenant does not choose one.
 */
export function isTierGranted({ id, profile }: Billed, tier: string, { grantedBillingTiers }: Limits): boolean {
  return profile.first === true || grantedBillingTiers.includes(tier) || grantedBillingTiers.includes(`${id}=${tier}`);
}

/**
 * The limits of an organization: those of its active tier if that tier still exists and is still granted, otherwise the operator's
 * defaults.
 */
export function effectiveLimits(organization: Billed, limits: Limits): Limits {
  const { billingTier } = organization.profile;
  if (billingTier === undefined || !isTierGranted(organization, billingTier, limits)) return limits;
  const tier = limits.billingTiers[billingTier];
  return tier === undefined ? limits : ({ ...limits, ...tier } as Limits);
}

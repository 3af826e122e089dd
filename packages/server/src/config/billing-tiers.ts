import { z } from 'zod';

const limit = z.int('must be a whole number').min(1, 'must be at least 1').max(100_000, 'must be at most 100000').optional();

/** Billing tiers as JSON: names, each with the limits that differ from the general ones. */
export const billingTiers = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue('must be JSON, for example {"business":{"maxUsers":500}}');
      return z.NEVER;
    }
  })
  .pipe(
    z.record(
      z.string(),
      z.strictObject({
        maxPayloads: limit,
        maxUsers: limit,
        maxWallets: limit,
        maxPrivateKeys: limit,
        maxPolicies: limit,
        maxPolicyKilobytes: limit,
        maxSmartContractInterfaces: limit,
        maxContacts: limit,
        maxTokens: limit,
        maxVelocityControls: limit,
        maxTags: limit,
        maxInvitations: limit,
        maxCredentials: limit,
        maxMegabytes: limit,
        maxMails: limit,
        maxTextMessages: limit,
      }),
    ),
  );

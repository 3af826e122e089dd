import { z } from 'zod';

const features = [
  'ROOT_USER_EMAIL_RECOVERY',
  'WEBAUTHN_ORIGINS',
  'EMAIL_AUTH',
  'EMAIL_RECOVERY',
  'WEBHOOK',
  'SMS_AUTH',
  'OTP_EMAIL_AUTH',
  'AUTH_PROXY',
  'SOLANA_RENT_PREFUND_ENABLED',
  'SWAP_CONFIG',
  'EARN_CONFIG',
  'SESSION_SELF_SERVICE',
  'QUERY_TIMESTAMPS',
] as const;

/** Everything that clients know as a feature. What a server offers may be less. */
export const featureName = z.enum(features.map((name) => `FEATURE_NAME_${name}` as const)).meta({ id: 'FeatureName' });

export type FeatureName = z.output<typeof featureName>;

/** A feature that is on. */
export const feature = z.object({ name: z.string(), value: z.string().optional() }).meta({ id: 'Feature' });

/** Members of the root quorum, and how many of them it takes. */
export const rootQuorum = z.object({ threshold: z.number(), userIds: z.array(z.string()) }).meta({ id: 'RootQuorum' });

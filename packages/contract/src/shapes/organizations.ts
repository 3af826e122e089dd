import { z } from 'zod';
import { featureValue } from '../masks.ts';

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
  'QUERY_OPERATIONS',
  'MAX_SESSION_SECONDS',
  'WEBAUTHN_USER_VERIFICATION',
  'WEBAUTHN_AAGUIDS',
  'APPROVAL_MAIL',
  'SESSION_PROFILES_REQUIRED',
  'READ_POLICIES',
  'NO_BLIND_HASHES',
] as const;

/** Every feature name that clients know. The server may support fewer. */
export const featureName = z.enum(features.map((name) => `FEATURE_NAME_${name}` as const)).meta({ id: 'FeatureName' });

/** The name of a feature. */
export type FeatureName = z.output<typeof featureName>;

/** A feature that is turned on. */
export const feature = featureValue(z.object({ name: z.string(), value: z.string().optional() })).meta({ id: 'Feature' });

/** The members of the root quorum, and how many of them must approve. */
export const rootQuorum = z.object({ threshold: z.number(), userIds: z.array(z.string()) }).meta({ id: 'RootQuorum' });

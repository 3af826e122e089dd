import { type FeatureName, ServiceError } from '@countersign/contract';
import type { Snapshot } from '../../organizations/snapshot.ts';

/** What people call the features that a way to sign in depends on. */
const names = {
  FEATURE_NAME_EMAIL_AUTH: 'Sign-in by e-mail',
  FEATURE_NAME_OTP_EMAIL_AUTH: 'Sign-in with one-time codes by e-mail',
  FEATURE_NAME_SMS_AUTH: 'Sign-in with one-time codes by text message',
  FEATURE_NAME_EMAIL_RECOVERY: 'Recovery by e-mail',
} as const satisfies { readonly [N in FeatureName]?: string };

/** Whether the organization has turned a way to sign in on, and not off since. */
export function hasFeature({ profile }: Snapshot, feature: keyof typeof names): boolean {
  return profile.features.some(({ name }) => name === feature);
}

/** Refuses what the organization has not turned on, or has turned off. */
export function requireFeature(organization: Snapshot, feature: keyof typeof names): void {
  if (hasFeature(organization, feature)) return;
  throw new ServiceError(
    'PRECONDITION_FAILED',
    `${names[feature]} is off in this organization. Its root quorum turns it on with set_organization_feature and ${feature}.`,
  );
}

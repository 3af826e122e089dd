import { type FeatureName, ServiceError } from '@countersign/contract';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { PlanContext } from '../../pipeline/plan/executor.ts';

/** Display names of the features that enable sign-in methods. */
const names = {
  FEATURE_NAME_EMAIL_AUTH: 'Sign-in by email',
  FEATURE_NAME_OTP_EMAIL_AUTH: 'Sign-in with one-time codes by email',
  FEATURE_NAME_SMS_AUTH: 'Sign-in with one-time codes by text message',
  FEATURE_NAME_EMAIL_RECOVERY: 'Recovery by email',
} as const satisfies { readonly [N in FeatureName]?: string };

/** Whether the organization has a sign-in feature turned on. */
export function hasFeature({ profile }: Snapshot, feature: keyof typeof names): boolean {
  return profile.features.some(({ name }) => name === feature);
}

/** Throws PRECONDITION_FAILED if the feature is off in the organization. */
export function requireFeature(organization: Snapshot, feature: keyof typeof names): void {
  if (hasFeature(organization, feature)) return;
  throw new ServiceError(
    'PRECONDITION_FAILED',
    `${names[feature]} is off in this organization. Its root quorum can turn it on with set_organization_feature and ${feature}.`,
  );
}

/**
 * Rejects a feature that costs the operator money unless it was granted: to a top-level organization by the operator, to a sub-organization
 * by its parent, which must have the feature on. Checked when the feature is turned on and at each use, so that a withdrawn grant ends
 * immediately.
 * Call this when an activity runs: only authorized callers may learn which features the parent has on.
 */
export async function requireGranted(
  context: Pick<PlanContext, 'organization' | 'parent' | 'limits'>,
  feature: FeatureName,
): Promise<void> {
  if (feature !== 'FEATURE_NAME_SMS_AUTH') return;
  const { organization, limits } = context;
  const byOperator = ({ profile }: Snapshot) => profile.first === true || limits.grantedFeatures.includes(feature);
  const { parentId } = organization.profile;
  const parent = parentId === null ? undefined : await context.parent();
  const granted =
    parentId === null ? byOperator(organization) : parent !== undefined && hasFeature(parent, feature) && byOperator(parent);
  if (granted) return;
  const who = parentId === null ? 'the operator grants it with the setting grantedFeatures' : 'the parent organization has it on';
  throw new ServiceError('PRECONDITION_FAILED', `${names[feature]} costs money, so it is off until ${who}.`, {
    violations: [{ field: 'name', description: `${feature} was not granted to this organization.` }],
  });
}

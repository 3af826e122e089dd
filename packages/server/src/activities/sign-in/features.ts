import { type FeatureName, ServiceError } from '@countersign/contract';
import type { Snapshot } from '../../organizations/snapshot.ts';
import type { PlanContext } from '../../pipeline/plan/executor.ts';

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

/**
 * Refuses a feature that costs the operator unless it was granted: to a top-level organization by the operator, to a sub-organization by
 * its parent, who has it on. Asked when it is turned on and whenever it is used, so that a grant that is withdrawn ends at once.
 * To be called when an activity runs: what the parent has on is for those who may do this.
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

import { activities, ServiceError } from '@countersign/contract';
import { isTierGranted } from '../../config/limits.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { notFound } from '../../wire/refuse.ts';
import { requireBilled } from './billing.ts';

export const activateBillingTier = execute(activities.activateBillingTier, {
  locksOrganization: true,

  async plan({ organization, limits }, params) {
    const { productId, orbPlanId } = params;
    requireBilled(organization);
    if (orbPlanId !== undefined) {
      throw new ServiceError('NOT_OFFERED', 'This server has no billing provider. Omit orbPlanId.', {
        violations: [{ field: 'orbPlanId', description: 'No billing provider is configured.' }],
      });
    }
    if (!Object.hasOwn(limits.billingTiers, productId)) throw notFound('billing tier', 'productId');
    return { intent: params, subject: {}, prepared: productId };
  },

  async run({ organization, limits, nowMs }, { prepared: productId }) {
    if (!isTierGranted(organization, productId, limits)) {
      throw new ServiceError(
        'PRECONDITION_FAILED',
        `The billing tier ${productId} is not granted to this organization. The operator grants it with the setting grantedBillingTiers.`,
        { violations: [{ field: 'productId', description: 'This tier was not granted to this organization.' }] },
      );
    }
    const body = { ...organization.profile, billingTier: productId, updatedAtMs: nowMs };
    return { result: { productId }, changes: [{ op: 'putRecord', kind: 'organization', id: organization.id, body }] };
  },
});

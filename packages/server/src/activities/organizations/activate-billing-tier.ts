import { activities, ServiceError } from '@countersign/contract';
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

  async run({ organization, nowMs }, { prepared: productId }) {
    const body = { ...organization.profile, billingTier: productId, updatedAtMs: nowMs };
    return { result: { productId }, changes: [{ op: 'putRecord', kind: 'organization', id: organization.id, body }] };
  },
});

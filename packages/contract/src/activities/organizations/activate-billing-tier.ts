import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { label } from '../../shapes/primitives.ts';

const params = z.strictObject({
  productId: label.describe('The name of a tier from the operator’s configuration'),
  orbPlanId: label.optional().describe('A plan at a billing provider. Not supported'),
});

export const activateBillingTier = defineActivity({
  name: 'activateBillingTier',
  path: 'activate_billing_tier',
  subject: 'organizations',
  summary: 'Apply the limits of a billing tier to the organization',
  policy: { resource: 'SUBSCRIPTION', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_ACTIVATE_BILLING_TIER',
  spec: 'types',
  params,
  intent: params,
  result: z.object({ productId: z.string() }),
});

import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { paymentMethod } from '../../shapes/billing.ts';
import { feature, rootQuorum } from '../../shapes/organizations.ts';
import { organizationId } from '../../shapes/primitives.ts';

export const getOrganizationConfigs = defineQuery({
  name: 'getOrganizationConfigs',
  path: 'get_organization_configs',
  subject: 'organizations',
  summary: 'Get the features, root quorum and billing tier of the organization',
  reads: { resources: ['ORGANIZATION'] },
  input: z.strictObject({ organizationId }),
  output: z.object({
    configs: z.object({
      features: z.array(feature),
      quorum: rootQuorum,
      billingTier: z.string().optional().describe('The active billing tier, if any'),
      paymentMethod: paymentMethod.optional(),
      throwAway: z.literal(true).optional().describe('Present if this is the example treasury of "countersign dev"'),
    }),
  }),
});

import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { organizationId } from '../../shapes/primitives.ts';

export const getOrganizationConfigs = defineQuery({
  name: 'getOrganizationConfigs',
  path: 'get_organization_configs',
  subject: 'organizations',
  summary: 'Features and root quorum of the organization',
  input: z.strictObject({ organizationId }),
  output: z.object({
    configs: z.object({
      features: z.array(z.object({ name: z.string(), value: z.string().optional() })),
      quorum: z.object({ threshold: z.number(), userIds: z.array(z.string()) }),
    }),
  }),
});

import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { feature, featureName } from '../../shapes/organizations.ts';

const params = z.strictObject({ name: featureName });

export const removeOrganizationFeature = defineActivity({
  name: 'removeOrganizationFeature',
  path: 'remove_organization_feature',
  subject: 'organizations',
  summary: 'Turn off a feature of the organization',
  policy: { resource: 'ORGANIZATION', action: 'UPDATE' },
  rootQuorumOnly: true,
  type: 'ACTIVITY_TYPE_REMOVE_ORGANIZATION_FEATURE',
  spec: 'types',
  params,
  intent: params,
  result: z.object({ features: z.array(feature) }),
});

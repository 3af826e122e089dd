import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { featureValue } from '../../masks.ts';
import { feature, featureName } from '../../shapes/organizations.ts';

const params = featureValue(
  z.strictObject({
    name: featureName,
    value: z
      .string()
      .max(16_384)
      .describe('The value of the feature: empty for a plain switch, comma-separated origins for FEATURE_NAME_WEBAUTHN_ORIGINS'),
  }),
);

export const setOrganizationFeature = defineActivity({
  name: 'setOrganizationFeature',
  path: 'set_organization_feature',
  subject: 'organizations',
  summary: 'Turn on a feature of the organization, or change its value',
  policy: { resource: 'ORGANIZATION', action: 'UPDATE' },
  rootQuorumOnly: true,
  type: 'ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE',
  spec: 'types',
  params,
  intent: params,
  result: z.object({ features: z.array(feature) }),
});

import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { label } from '../../shapes/primitives.ts';

const params = z.strictObject({ organizationName: label });

export const updateOrganizationName = defineActivity({
  name: 'updateOrganizationName',
  path: 'update_organization_name',
  subject: 'organizations',
  summary: 'Rename the calling organization',
  policy: { resource: 'ORGANIZATION', action: 'UPDATE' },
  rootQuorumOnly: true,
  type: 'ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ organizationId: z.string(), organizationName: z.string() }),
});

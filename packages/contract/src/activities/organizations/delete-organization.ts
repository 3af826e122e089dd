import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { organizationId } from '../../shapes/primitives.ts';

const params = z.strictObject({ organizationId });

export const deleteOrganization = defineActivity({
  name: 'deleteOrganization',
  path: 'delete_organization',
  subject: 'organizations',
  summary: 'Delete the calling top-level organization and everything in it',
  policy: { resource: 'ORGANIZATION', action: 'DELETE' },
  rootQuorumOnly: true,
  type: 'ACTIVITY_TYPE_DELETE_ORGANIZATION',
  spec: 'types',
  params,
  intent: params,
  result: z.object({ organizationId: z.string() }),
});

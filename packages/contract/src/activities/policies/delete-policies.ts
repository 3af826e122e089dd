import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { idList } from '../../shapes/primitives.ts';

const params = z.strictObject({ policyIds: idList });

export const deletePolicies = defineActivity({
  name: 'deletePolicies',
  path: 'delete_policies',
  subject: 'policies',
  summary: 'Delete policies: all of the given ones or none',
  policy: { resource: 'POLICY', action: 'DELETE' },
  type: 'ACTIVITY_TYPE_DELETE_POLICIES',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ policyIds: z.array(z.string()) }),
});

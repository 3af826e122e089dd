import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { id } from '../../shapes/primitives.ts';

const params = z.strictObject({ policyId: id });

export const deletePolicy = defineActivity({
  name: 'deletePolicy',
  path: 'delete_policy',
  subject: 'policies',
  summary: 'Delete a policy',
  policy: { resource: 'POLICY', action: 'DELETE' },
  type: 'ACTIVITY_TYPE_DELETE_POLICY',
  spec: 'endpoint',
  params,
  intent: params,
  result: z.object({ policyId: z.string() }),
});

import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { timedPolicyParams } from '../../shapes/policies.ts';

const params = z.strictObject({
  policies: z.array(timedPolicyParams).min(1, 'must not be empty').max(100, 'must have at most 100 items'),
});

export const createPolicies = defineActivity({
  name: 'createPolicies',
  path: 'create_policies',
  subject: 'policies',
  summary: 'Create several policies',
  policy: { resource: 'POLICY', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_CREATE_POLICIES',
  spec: 'types',
  params,
  intent: params,
  result: z.object({ policyIds: z.array(z.string()) }),
});

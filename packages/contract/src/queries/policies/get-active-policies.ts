import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { organizationId } from '../../shapes/primitives.ts';

const status = z
  .object({
    organizationId: z.string(),
    policyId: z.string(),
    active: z.boolean(),
    timeExpr: z.string().optional().describe('When the policy applies; absent means always'),
    error: z.string().optional().describe('Why the time could not be told; the policy then grants nothing'),
  })
  .meta({ id: 'ActivePolicyStatus' });

export const getActivePolicies = defineQuery({
  name: 'getActivePolicies',
  path: 'get_active_policies',
  subject: 'policies',
  summary: 'Tell which policies apply at this time',
  input: z.strictObject({ organizationId }),
  output: z.object({ statuses: z.array(status), evaluatedAtMs: z.string() }),
});

import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { listPagination, organizationId, shortened } from '../../shapes/primitives.ts';

const status = z
  .object({
    organizationId: z.string(),
    policyId: z.string(),
    active: z.boolean(),
    timeExpr: z.string().optional().describe('When the policy applies. If absent: always'),
    error: z.string().optional().describe('Why the time expression failed. The policy then grants nothing'),
    shortened,
  })
  .meta({ id: 'ActivePolicyStatus' });

/** Whether a policy applies right now. */
export type ActivePolicyShape = z.output<typeof status>;

export const getActivePolicies = defineQuery({
  name: 'getActivePolicies',
  path: 'get_active_policies',
  subject: 'policies',
  summary: 'Show which policies apply right now',
  input: z.strictObject({ organizationId, paginationOptions: listPagination }),
  output: z.object({ statuses: z.array(status), evaluatedAtMs: z.string() }),
});

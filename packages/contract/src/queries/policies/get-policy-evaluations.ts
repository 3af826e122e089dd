import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { decidedBy } from '../../shapes/decided-by.ts';
import { policyOutcome } from '../../shapes/policies.ts';
import { id, organizationId, timestamp } from '../../shapes/primitives.ts';

export const getPolicyEvaluations = defineQuery({
  name: 'getPolicyEvaluations',
  path: 'get_policy_evaluations',
  subject: 'policies',
  summary: 'Show the outcome of each policy, once per vote on an activity',
  reads: { resources: ['ACTIVITY'] },
  input: z.strictObject({ organizationId, activityId: id }),
  output: z.object({
    policyEvaluations: z.array(
      z.object({
        id: z.string(),
        activityId: z.string(),
        organizationId: z.string(),
        voteId: z.string(),
        policyEvaluations: z.array(policyOutcome),
        evaluatedCount: z.int().optional().describe('The number of evaluated policies, if the list does not have all'),
        createdAt: timestamp,
        decidedBy: decidedBy.optional().describe('Absent if the parent organization decided, for users of this one'),
      }),
    ),
  }),
});

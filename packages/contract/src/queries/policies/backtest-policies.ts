import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { backtestReport, controlChange, pastRange, policyChange } from '../../shapes/backtest.ts';
import { organizationId } from '../../shapes/primitives.ts';

export const backtestPolicies = defineQuery({
  name: 'backtestPolicies',
  path: 'backtest_policies',
  subject: 'policies',
  summary: 'Judge past activities as they were, under changed policies and limits',
  input: z.strictObject({
    organizationId,
    policies: policyChange
      .optional()
      .describe('The change. Without one nothing can flip, which shows that the past is reproduced'),
    velocityControls: controlChange.optional().describe('A change of limits over time'),
    range: pastRange.optional().describe('Which activities. All of them by default, the oldest first'),
    limit: z.int().min(1).max(2000).optional().describe('How many activities to read for this answer. 1000 by default'),
    cursor: z
      .string()
      .max(200)
      .optional()
      .describe('Where to go on, as `next` of the answer before said. The change and the range stay the same'),
  }),
  output: z.object({
    ...backtestReport.shape,
    total: z.int().optional().describe('How many activities the range has, in the answer without a cursor'),
    next: z.string().optional().describe('The cursor of the next part. Absent after the last one'),
  }),
});

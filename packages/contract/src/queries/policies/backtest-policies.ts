import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { backtestReport, controlChange, pastRange, policyChange } from '../../shapes/backtest.ts';
import { organizationId } from '../../shapes/primitives.ts';

export const backtestPolicies = defineQuery({
  name: 'backtestPolicies',
  path: 'backtest_policies',
  subject: 'policies',
  summary: 'Replay past activities against changed policies and limits',
  reads: { resources: ['ACTIVITY', 'POLICY'] },
  input: z.strictObject({
    organizationId,
    policies: policyChange
      .optional()
      .describe('The change. Without one no outcome can differ, which shows that the history is reproduced'),
    velocityControls: controlChange.optional().describe('A change of spending limits'),
    range: pastRange.optional().describe('The activities. All of them by default, oldest first'),
    limit: z.int().min(1).max(2000).optional().describe('The number of activities to read for this response. 1000 by default'),
    cursor: z
      .string()
      .max(200)
      .optional()
      .describe('The `next` of the previous response. The change and the range must stay the same'),
  }),
  output: z.object({
    ...backtestReport.shape,
    total: z.int().optional().describe('The number of activities in the range, in the response without a cursor'),
    next: z.string().optional().describe('The cursor of the next part. Absent after the last one'),
  }),
});

import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { explainedDecision } from '../../shapes/decisions.ts';
import { id, organizationId } from '../../shapes/primitives.ts';

export const simulateActivity = defineQuery({
  name: 'simulateActivity',
  path: 'simulate_activity',
  subject: 'policies',
  summary: 'How an activity would be judged; nothing is stored and nothing is signed',
  input: z.strictObject({
    organizationId,
    type: z.string().max(128).describe('The activity type, as a submit would carry it'),
    parameters: z.record(z.string(), z.unknown()).describe('The parameters, as a submit would carry them'),
    approverIds: z
      .array(id)
      .max(100)
      .optional()
      .describe('Who would have approved it, the submitter first; the caller by default'),
  }),
  output: z.object({
    decision: explainedDecision,
    description: z.string().optional().describe('What a transaction or typed message was understood as'),
  }),
});

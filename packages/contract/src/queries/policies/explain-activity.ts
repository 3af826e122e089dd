import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { explainedDecision } from '../../shapes/decisions.ts';
import { id, organizationId, timestamp } from '../../shapes/primitives.ts';

export const explainActivity = defineQuery({
  name: 'explainActivity',
  path: 'explain_activity',
  subject: 'policies',
  summary: 'Explain why an activity was allowed, denied or left pending, once per vote',
  reads: { resources: ['ACTIVITY', 'POLICY'], always: 'OWN' },
  input: z.strictObject({ organizationId, activityId: id }),
  output: z.object({
    decisions: z.array(z.object({ voteId: z.string(), createdAt: timestamp, ...explainedDecision.shape })),
  }),
});

import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { pastRange } from '../../shapes/backtest.ts';
import { pastRequest, pastState, pastUnknown } from '../../shapes/past-requests.ts';
import { id, organizationId } from '../../shapes/primitives.ts';

export const listPastRequests = defineQuery({
  name: 'listPastRequests',
  path: 'list_past_requests',
  subject: 'policies',
  summary: 'List past activities as policies saw them, with their decisions',
  reads: { resources: ['ACTIVITY', 'POLICY', 'USER', 'CONTACT'] },
  input: z.strictObject({
    organizationId,
    activityIds: z
      .array(id)
      .min(1)
      .max(100)
      .optional()
      .describe('Only these activities, each once, instead of a range. A response that is too large is rejected: request fewer'),
    range: pastRange.optional().describe('The activities. All of them by default, oldest first'),
    limit: z.int().min(1).max(500).optional().describe('The number of activities to read for this response. 100 by default'),
    cursor: z.string().max(200).optional().describe('The `next` of the previous response'),
  }),
  output: z.object({
    requests: z.array(pastRequest),
    states: z.array(pastState),
    unknown: pastUnknown.describe('Activities that could not be shown, with some ids'),
    total: z.int().optional().describe('The number of activities in the range, in the response without a cursor'),
    next: z.string().optional().describe('The cursor of the next part. Absent after the last one'),
  }),
});

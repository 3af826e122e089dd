import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { pastRange } from '../../shapes/backtest.ts';
import { pastRequest, pastState, pastUnknown } from '../../shapes/past-requests.ts';
import { id, organizationId } from '../../shapes/primitives.ts';

export const listPastRequests = defineQuery({
  name: 'listPastRequests',
  path: 'list_past_requests',
  subject: 'policies',
  summary: 'List past activities as policies saw them, with the decision of then',
  input: z.strictObject({
    organizationId,
    activityIds: z
      .array(id)
      .min(1)
      .max(100)
      .optional()
      .describe('Only these activities, each once, in place of a range. Too large an answer is refused: ask for fewer'),
    range: pastRange.optional().describe('Which activities. All of them by default, the oldest first'),
    limit: z.int().min(1).max(500).optional().describe('How many activities to read for this answer. 100 by default'),
    cursor: z.string().max(200).optional().describe('Where to go on, as `next` of the answer before said'),
  }),
  output: z.object({
    requests: z.array(pastRequest),
    states: z.array(pastState),
    unknown: pastUnknown.describe('What could not be shown, with some ids'),
    total: z.int().optional().describe('How many activities the range has, in the answer without a cursor'),
    next: z.string().optional().describe('The cursor of the next part. Absent after the last one'),
  }),
});

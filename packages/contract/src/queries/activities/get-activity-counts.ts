import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { activityStatus } from '../../shapes/activity-status.ts';
import { milliseconds, organizationId } from '../../shapes/primitives.ts';

const activityCount = z
  .object({
    startMs: z.string().describe('When the interval begins, in milliseconds since 1970'),
    type: z.string(),
    status: activityStatus,
    count: z.string(),
  })
  .meta({ id: 'ActivityCount' });

export const getActivityCounts = defineQuery({
  name: 'getActivityCounts',
  path: 'get_activity_counts',
  subject: 'activities',
  summary: 'Count activities by hour or day, type and status',
  input: z.strictObject({
    organizationId,
    interval: z.enum(['HOUR', 'DAY']).describe('The length of an interval. Days are those of UTC'),
    since: milliseconds.describe('From the interval that holds this time. At most 31 days of hours, or 400 days, ago'),
    until: milliseconds.optional().describe('Up to the interval that holds this time. Now by default'),
  }),
  output: z.object({
    counts: z
      .array(activityCount)
      .describe(
        'In order of time. An activity counts once, with its last status, when it ended. One that waited for approvals counts also as ACTIVITY_STATUS_CONSENSUS_NEEDED, when it was submitted. Intervals without any are left out',
      ),
    isComplete: z
      .boolean()
      .describe('False while the activities of an older database are still being counted: the newest may be missing'),
  }),
});

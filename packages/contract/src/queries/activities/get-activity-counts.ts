import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { activityStatus } from '../../shapes/activity-status.ts';
import { intervals, startMs } from '../../shapes/intervals.ts';
import { organizationId } from '../../shapes/primitives.ts';

const activityCount = z
  .object({
    startMs,
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
  reads: { resources: ['ACTIVITY'] },
  input: z.strictObject({ organizationId, ...intervals }),
  output: z.object({
    counts: z
      .array(activityCount)
      .describe(
        'Ordered by time. An activity counts once, with its last status, when it ended. A pending one also counts as ACTIVITY_STATUS_CONSENSUS_NEEDED, when it was submitted. Empty intervals are omitted',
      ),
    isComplete: z
      .boolean()
      .describe('False while the activities of an older database are still being counted: the newest may be missing'),
  }),
});

import { z } from 'zod';
import { activityType } from '../../activity-types.ts';
import { defineQuery } from '../../define.ts';
import { activityDetails } from '../../shapes/activity.ts';
import { activityStatus } from '../../shapes/activity-status.ts';
import { organizationId, paginationOptions } from '../../shapes/primitives.ts';

export const listActivities = defineQuery({
  name: 'listActivities',
  path: 'list_activities',
  subject: 'activities',
  summary: 'List activities, newest first',
  reads: { resources: ['ACTIVITY'], always: 'OWN' },
  input: z.strictObject({
    organizationId,
    filterByStatus: z.array(activityStatus).max(6).optional(),
    filterByType: z.array(activityType).max(200).optional(),
    paginationOptions: paginationOptions.optional(),
  }),
  output: z.object({ activities: z.array(activityDetails) }),
});

import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { activityDetails } from '../../shapes/activity.ts';
import { id, organizationId } from '../../shapes/primitives.ts';

export const getActivity = defineQuery({
  name: 'getActivity',
  path: 'get_activity',
  subject: 'activities',
  summary: 'Get one activity with its votes',
  reads: { resources: ['ACTIVITY'], always: 'OWN' },
  input: z.strictObject({ organizationId, activityId: id }),
  output: z.object({ activity: activityDetails }),
});

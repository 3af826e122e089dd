import { z } from 'zod';
import { activityType } from '../../activity-types.ts';
import { defineQuery } from '../../define.ts';
import { activityDetails } from '../../shapes/activity.ts';
import { activityStatus } from '../../shapes/activity-status.ts';
import { leafRange, logNumber, waitSeconds } from '../../shapes/log.ts';
import { organizationId, timestamp } from '../../shapes/primitives.ts';

/** One update of an activity: its submission, a vote, or its end. */
const event = z
  .object({
    sequence: logNumber.describe('Its number within the organization, in commit order. It never changes'),
    eventId: z.string().describe('The id that webhooks send as X-Turnkey-Event-Id for the same update'),
    activityId: z.string(),
    type: activityType,
    status: activityStatus.describe('The status after this update'),
    occurredAt: timestamp.describe('By the clock of the node that executed it'),
    activity: activityDetails
      .optional()
      .describe('The activity as it is now, possibly after later updates. Absent if it is in an archive file'),
  })
  .meta({ id: 'ActivityEvent' });

export const listEvents = defineQuery({
  name: 'listEvents',
  path: 'list_events',
  subject: 'activities',
  summary: 'List updates of activities in commit order, without gaps, and wait for new ones',
  reads: { resources: ['ACTIVITY'] },
  input: z.strictObject({
    organizationId,
    from: leafRange.from.describe('The number of the first update to return. 1, the oldest, by default'),
    limit: z
      .string()
      .regex(/^([1-9]\d?|100)$/, 'must be a whole number from 1 to 100, as a string')
      .optional()
      .describe(
        'How many numbers to read, 1 to 100. 100 by default. Changes by the service itself have numbers, and are not returned',
      ),
    filterByStatus: z.array(activityStatus).max(6).optional(),
    filterByType: z.array(activityType).max(200).optional(),
    waitSeconds: waitSeconds.describe(
      'How long to wait if nothing has happened from this number on. The response may come earlier and be empty. 0 by default',
    ),
  }),
  output: z.object({
    events: z.array(event),
    next: logNumber.describe('Store it with what you made of the events, and send it as from in the next request'),
    isNewest: z.boolean().describe('Whether nothing had happened after these when they were read'),
  }),
});

import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { intervals, startMs } from '../../shapes/intervals.ts';
import { organizationId } from '../../shapes/primitives.ts';

const within = (share: string) =>
  z
    .string()
    .optional()
    .describe(
      `${share} of the requests were answered within this many milliseconds, an upper bound of a histogram bucket. Absent above the largest bound, 16,384, and if there was no request`,
    );

const durations = { count: z.string(), medianMs: within('Half'), p99Ms: within('99 of 100') };

export const getActivityDurations = defineQuery({
  name: 'getActivityDurations',
  path: 'get_activity_durations',
  subject: 'activities',
  summary: 'Show how long requests took, by hour or day',
  reads: { resources: ['ACTIVITY'] },
  input: z.strictObject({ organizationId, ...intervals }),
  output: z.object({
    intervals: z
      .array(z.object({ startMs, ...durations }).meta({ id: 'IntervalDurations' }))
      .describe(
        'Ordered by time. Requests that submitted an activity or voted on one and were not denied, from the end of the body to the response. Each node adds its measurements every ten seconds; a killed node loses its last ones. Empty intervals are omitted',
      ),
    overall: z.object(durations).meta({ id: 'Durations' }).describe('All intervals together'),
  }),
});

import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { intervals, startMs } from '../../shapes/intervals.ts';
import { organizationId } from '../../shapes/primitives.ts';

const within = (share: string) =>
  z
    .string()
    .optional()
    .describe(
      `${share} of the requests were answered within so many milliseconds: a bound of the histogram. Absent where that took more than the largest bound, 16,384, and where there was no request`,
    );

const durations = { count: z.string(), medianMs: within('Half'), p99Ms: within('99 of 100') };

export const getActivityDurations = defineQuery({
  name: 'getActivityDurations',
  path: 'get_activity_durations',
  subject: 'activities',
  summary: 'Show how long requests took, by hour or day',
  input: z.strictObject({ organizationId, ...intervals }),
  output: z.object({
    intervals: z
      .array(z.object({ startMs, ...durations }).meta({ id: 'IntervalDurations' }))
      .describe(
        'In order of time. Requests that submitted an activity or voted on one and were not refused, from the end of the body to the answer. Each node adds what it measured every ten seconds, and loses that part if it is killed. Intervals without any are left out',
      ),
    overall: z.object(durations).meta({ id: 'Durations' }).describe('All intervals together'),
  }),
});

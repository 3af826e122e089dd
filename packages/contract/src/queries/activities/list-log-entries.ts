import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { logCheckpoint, logLeaf, logNumber } from '../../shapes/log.ts';
import { organizationId } from '../../shapes/primitives.ts';

export const listLogEntries = defineQuery({
  name: 'listLogEntries',
  path: 'list_log_entries',
  subject: 'activities',
  summary: "List the organization's leaves of the append-only log in order, so that none can be left out",
  input: z.strictObject({
    organizationId,
    from: z
      .string()
      .regex(/^[1-9]\d{0,15}$/, 'must be a whole number from 1, as a string')
      .optional()
      .describe('The number of the first leaf to return. 1, the oldest, by default'),
    limit: z
      .string()
      .regex(/^([1-9]\d{0,2}|1000)$/, 'must be a whole number from 1 to 1000, as a string')
      .optional()
      .describe('How many leaves to return, 1 to 1000. 100 by default'),
  }),
  output: z.object({
    checkpoint: logCheckpoint,
    entries: z.array(logLeaf),
    head: z
      .object({ sequence: logNumber, leafHash: z.string() })
      .describe("The organization's last leaf that the checkpoint covers: its number, and its hash in hexadecimal"),
  }),
});

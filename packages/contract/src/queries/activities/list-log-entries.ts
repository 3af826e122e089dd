import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { leafRange, logCheckpoint, logLeaf, logNumber } from '../../shapes/log.ts';
import { organizationId } from '../../shapes/primitives.ts';

export const listLogEntries = defineQuery({
  name: 'listLogEntries',
  path: 'list_log_entries',
  subject: 'activities',
  summary: "List the organization's leaves of the append-only log in order, so that none can be left out",
  input: z.strictObject({
    organizationId,
    ...leafRange,
    waitSeconds: z
      .string()
      .regex(/^(\d|1\d|2[0-5])$/, 'must be a whole number from 0 to 25, as a string')
      .optional()
      .describe(
        'How long to wait where there is no leaf from this number on: the answer comes with the next one, or empty at the end. 0 by default',
      ),
  }),
  output: z.object({
    checkpoint: logCheckpoint,
    entries: z.array(logLeaf),
    head: z
      .object({ sequence: logNumber, leafHash: z.string() })
      .describe("The organization's last leaf that the checkpoint covers: its number, and its hash in hexadecimal"),
  }),
});

import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { leafRange, logCheckpoint, logLeaf, logNumber, waitSeconds } from '../../shapes/log.ts';
import { organizationId } from '../../shapes/primitives.ts';

export const listLogEntries = defineQuery({
  name: 'listLogEntries',
  path: 'list_log_entries',
  subject: 'activities',
  summary: "List the organization's leaves of the append-only log in order, without gaps",
  reads: { resources: ['AUDIT_LOG'] },
  input: z.strictObject({
    organizationId,
    ...leafRange,
    waitSeconds: waitSeconds.describe(
      'How long to wait if there is no leaf from this number on: the response contains the next one, or is empty after this time. 0 by default',
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

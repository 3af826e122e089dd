import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { logCheckpoint, logLeaf, logNumber } from '../../shapes/log.ts';
import { id, organizationId } from '../../shapes/primitives.ts';

export const getLogProof = defineQuery({
  name: 'getLogProof',
  path: 'get_log_proof',
  subject: 'activities',
  summary: 'Prove what the append-only log contains for an activity',
  reads: { resources: ['AUDIT_LOG'], always: 'OWN' },
  input: z.strictObject({
    organizationId,
    activityId: id,
    revision: logNumber
      .optional()
      .describe('The step of the activity: 0 is the submission, each vote adds one. The newest by default'),
  }),
  output: z.object({
    checkpoint: logCheckpoint,
    leaf: logLeaf,
    hashes: z.array(z.string()).describe('The inclusion proof of RFC 6962 section 2.1.1, in hexadecimal, from the leaf up'),
  }),
});

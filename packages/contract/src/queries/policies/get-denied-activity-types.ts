import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { organizationId } from '../../shapes/primitives.ts';

const denial = z
  .object({
    by: z
      .enum(['IMPLICIT', 'POLICY', 'ROOT_QUORUM_ONLY', 'FROZEN'])
      .describe(
        'IMPLICIT: no policy could allow it. POLICY: a DENY always applies. ROOT_QUORUM_ONLY: only the root quorum may do this. FROZEN: the organization is frozen',
      ),
    text: z.string().describe('The same as a sentence'),
    types: z.array(z.string()).describe('The current activity types'),
  })
  .meta({ id: 'DeniedActivityTypes' });

export const getDeniedActivityTypes = defineQuery({
  name: 'getDeniedActivityTypes',
  path: 'get_denied_activity_types',
  subject: 'policies',
  summary: 'Show which activity types are denied to the caller, whatever a request contains',
  reads: { resources: ['POLICY'], always: 'WHOLE' },
  input: z.strictObject({ organizationId }),
  output: z.object({
    denials: z.array(denial),
    denialsAboutOthers: z
      .array(denial)
      .describe(
        'Further types that are denied if a request is about the credentials or sessions of other users. One’s own need no policy',
      ),
  }),
});

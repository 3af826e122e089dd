import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { organizationId } from '../../shapes/primitives.ts';

export const getCallerAddress = defineQuery({
  name: 'getCallerAddress',
  path: 'get_caller_address',
  subject: 'organizations',
  summary: 'Show the network address that the request came from, as IP allowlists compare it',
  reads: { resources: ['IP_ALLOWLIST'], always: 'WHOLE' },
  input: z.strictObject({ organizationId }),
  output: z.object({
    address: z.string().optional().describe('IPv4 or IPv6. Absent if a trusted proxy does not state it'),
  }),
});

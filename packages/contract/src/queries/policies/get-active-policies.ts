import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { activePolicy } from '../../shapes/policies.ts';
import { listPagination, organizationId } from '../../shapes/primitives.ts';

export const getActivePolicies = defineQuery({
  name: 'getActivePolicies',
  path: 'get_active_policies',
  subject: 'policies',
  summary: 'Show which policies apply right now',
  reads: { resources: ['POLICY'] },
  input: z.strictObject({ organizationId, paginationOptions: listPagination }),
  output: z.object({ statuses: z.array(activePolicy), evaluatedAtMs: z.string() }),
});

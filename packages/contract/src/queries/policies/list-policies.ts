import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { policy } from '../../shapes/policies.ts';
import { listPagination, matching, organizationId } from '../../shapes/primitives.ts';

export const listPolicies = defineQuery({
  name: 'listPolicies',
  path: 'list_policies',
  subject: 'policies',
  summary: 'List the policies of the organization',
  reads: { resources: ['POLICY'] },
  input: z.strictObject({ organizationId, matching, paginationOptions: listPagination }),
  output: z.object({ policies: z.array(policy) }),
});

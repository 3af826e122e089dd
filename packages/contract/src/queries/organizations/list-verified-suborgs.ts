import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { organizationId, paginationOptions } from '../../shapes/primitives.ts';

export const listVerifiedSuborgs = defineQuery({
  name: 'listVerifiedSuborgs',
  path: 'list_verified_suborgs',
  subject: 'organizations',
  summary: 'List sub-organizations where a user has proven a contact with a code, newest first',
  reads: { resources: ['SUB_ORGANIZATION'] },
  input: z.strictObject({
    organizationId,
    filterType: z.enum(['EMAIL', 'PHONE_NUMBER', '']).optional().describe('The meaning of filterValue. Empty counts as absent'),
    filterValue: z.string().max(320).optional().describe('The contact to find. Empty counts as absent'),
    paginationOptions: paginationOptions.optional(),
  }),
  output: z.object({ organizationIds: z.array(z.string()) }),
});

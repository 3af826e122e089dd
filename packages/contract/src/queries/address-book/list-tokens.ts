import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { token } from '../../shapes/address-book.ts';
import { listPagination, organizationId } from '../../shapes/primitives.ts';

export const listTokens = defineQuery({
  name: 'listTokens',
  path: 'list_tokens',
  subject: 'address-book',
  summary: 'List the tokens of the organization and of the service',
  reads: { resources: ['TOKEN'] },
  input: z.strictObject({ organizationId, paginationOptions: listPagination }),
  output: z.object({
    tokens: z
      .array(token)
      .describe('Those of the organization, then those of the service. A page contains only those of the organization'),
  }),
});

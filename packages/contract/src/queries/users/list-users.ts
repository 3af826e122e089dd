import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { listPagination, matching, organizationId } from '../../shapes/primitives.ts';
import { user } from '../../shapes/users.ts';

export const listUsers = defineQuery({
  name: 'listUsers',
  path: 'list_users',
  subject: 'users',
  summary: 'List the users of the organization and their credentials',
  reads: { resources: ['USER'] },
  input: z.strictObject({ organizationId, matching, paginationOptions: listPagination }),
  output: z.object({ users: z.array(user) }),
});

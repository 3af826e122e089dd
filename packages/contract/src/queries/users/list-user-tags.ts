import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { listPagination, organizationId } from '../../shapes/primitives.ts';
import { tag } from '../../shapes/tags.ts';

export const listUserTags = defineQuery({
  name: 'listUserTags',
  path: 'list_user_tags',
  subject: 'users',
  summary: 'List the user tags of the organization',
  reads: { resources: ['USER'] },
  input: z.strictObject({ organizationId, paginationOptions: listPagination }),
  output: z.object({ userTags: z.array(tag) }),
});

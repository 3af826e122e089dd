import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { listPagination, organizationId } from '../../shapes/primitives.ts';
import { tag } from '../../shapes/tags.ts';

export const listPrivateKeyTags = defineQuery({
  name: 'listPrivateKeyTags',
  path: 'list_private_key_tags',
  subject: 'keys',
  summary: 'List the private key tags of the organization',
  reads: { resources: ['PRIVATE_KEY'] },
  input: z.strictObject({ organizationId, paginationOptions: listPagination }),
  output: z.object({ privateKeyTags: z.array(tag) }),
});

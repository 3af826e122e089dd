import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { privateKey } from '../../shapes/keys.ts';
import { listPagination, matching, nextMatching, organizationId } from '../../shapes/primitives.ts';

export const listPrivateKeys = defineQuery({
  name: 'listPrivateKeys',
  path: 'list_private_keys',
  subject: 'keys',
  summary: 'List the private keys of the organization',
  reads: { resources: ['PRIVATE_KEY'] },
  input: z.strictObject({ organizationId, matching, paginationOptions: listPagination }),
  output: z.object({ privateKeys: z.array(privateKey), next: nextMatching }),
});

import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { listPagination, organizationId } from '../../shapes/primitives.ts';
import { secretMetadata } from '../../shapes/secrets.ts';

export const listSecrets = defineQuery({
  name: 'listSecrets',
  path: 'list_secrets',
  subject: 'secrets',
  summary: 'List the secrets of the organization: names and properties, never contents',
  reads: { resources: ['SECRET'] },
  input: z.strictObject({ organizationId, paginationOptions: listPagination }),
  output: z.object({ secrets: z.array(secretMetadata) }),
});

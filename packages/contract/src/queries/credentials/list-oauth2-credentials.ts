import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { oauth2Credential } from '../../shapes/oauth2.ts';
import { listPagination, organizationId } from '../../shapes/primitives.ts';

export const listOauth2Credentials = defineQuery({
  name: 'listOauth2Credentials',
  path: 'list_oauth2_credentials',
  subject: 'credentials',
  summary: 'List the OAuth 2 credentials of the organization, without their secrets',
  reads: { resources: ['AUTH'] },
  input: z.strictObject({ organizationId, paginationOptions: listPagination }),
  output: z.object({ oauth2Credentials: z.array(oauth2Credential) }),
});

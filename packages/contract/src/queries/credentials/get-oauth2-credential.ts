import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { oauth2Credential } from '../../shapes/oauth2.ts';
import { id, organizationId } from '../../shapes/primitives.ts';

export const getOauth2Credential = defineQuery({
  name: 'getOauth2Credential',
  path: 'get_oauth2_credential',
  subject: 'credentials',
  summary: 'Get one OAuth 2 credential, without its secret',
  reads: { resources: ['AUTH'] },
  input: z.strictObject({ organizationId, oauth2CredentialId: id }),
  output: z.object({ oauth2Credential }),
});

import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { id } from '../../shapes/primitives.ts';

const params = z.strictObject({ oauth2CredentialId: id });

export const deleteOauth2Credential = defineActivity({
  name: 'deleteOauth2Credential',
  path: 'delete_oauth2_credential',
  subject: 'credentials',
  summary: 'Delete an OAuth 2 credential and its secret',
  policy: { resource: 'AUTH', action: 'DELETE' },
  type: 'ACTIVITY_TYPE_DELETE_OAUTH2_CREDENTIAL',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ oauth2CredentialId: z.string() }),
});

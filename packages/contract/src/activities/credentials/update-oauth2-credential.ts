import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { encryptedClientSecret, oauth2ClientId, oauth2ProviderName } from '../../shapes/oauth2.ts';
import { id } from '../../shapes/primitives.ts';

const params = z.strictObject({
  oauth2CredentialId: id,
  provider: oauth2ProviderName,
  clientId: oauth2ClientId,
  encryptedClientSecret,
});

export const updateOauth2Credential = defineActivity({
  name: 'updateOauth2Credential',
  path: 'update_oauth2_credential',
  subject: 'credentials',
  summary: 'Replace the client of an OAuth 2 credential and its secret',
  policy: { resource: 'AUTH', action: 'UPDATE' },
  type: 'ACTIVITY_TYPE_UPDATE_OAUTH2_CREDENTIAL',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ oauth2CredentialId: z.string() }),
});

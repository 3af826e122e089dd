import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { encryptedClientSecret, oauth2ClientId, oauth2ProviderName } from '../../shapes/oauth2.ts';

const params = z.strictObject({
  provider: oauth2ProviderName,
  clientId: oauth2ClientId,
  encryptedClientSecret,
});

export const createOauth2Credential = defineActivity({
  name: 'createOauth2Credential',
  path: 'create_oauth2_credential',
  subject: 'credentials',
  summary: 'Register a client of an OAuth 2 provider',
  policy: { resource: 'AUTH', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_CREATE_OAUTH2_CREDENTIAL',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ oauth2CredentialId: z.string() }),
});

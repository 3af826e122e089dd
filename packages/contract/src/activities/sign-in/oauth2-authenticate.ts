import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { secret } from '../../secrets.ts';
import { oauth2Code } from '../../shapes/oauth2.ts';
import { id } from '../../shapes/primitives.ts';

const params = z.strictObject({ oauth2CredentialId: id, ...oauth2Code });

export const oauth2Authenticate = defineActivity({
  name: 'oauth2Authenticate',
  path: 'oauth2_authenticate',
  subject: 'sign-in',
  summary: 'Exchange the code of an OAuth 2 provider for a token that signs the person in',
  policy: { resource: 'AUTH', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_OAUTH2_AUTHENTICATE',
  spec: 'none',
  params,
  intent: params,
  result: z.object({
    oidcToken: secret(z.string()).describe(
      'A token of this server for oauth_login, oauth and oauthProviders, valid for 5 minutes',
    ),
  }),
});

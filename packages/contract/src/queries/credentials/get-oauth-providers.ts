import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { oauthProvider } from '../../shapes/credentials.ts';
import { id, organizationId } from '../../shapes/primitives.ts';

export const getOauthProviders = defineQuery({
  name: 'getOauthProviders',
  path: 'get_oauth_providers',
  subject: 'credentials',
  summary: 'List the OpenID Connect identities of a user, or of all users',
  reads: { resources: ['USER'], always: 'OWN' },
  input: z.strictObject({ organizationId, userId: id.optional().describe('The user. If omitted, the identities of all users') }),
  output: z.object({ oauthProviders: z.array(oauthProvider) }),
});

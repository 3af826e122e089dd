import { z } from 'zod';
import { defineActivity, later } from '../../define.ts';
import { oauthProviderParams } from '../../shapes/credentials.ts';
import { id } from '../../shapes/primitives.ts';

const params = z.strictObject({
  userId: id,
  oauthProviders: z.array(oauthProviderParams).min(1, 'must not be empty').max(100, 'must have at most 100 items'),
});

export const createOauthProviders = defineActivity({
  name: 'createOauthProviders',
  path: 'create_oauth_providers',
  subject: 'credentials',
  summary: 'Link OpenID Connect identities to a user',
  policy: { resource: 'CREDENTIAL', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS',
  specified: true,
  params,
  intent: params,
  result: z.object({ providerIds: z.array(z.string()) }),
  later: [
    later({
      type: 'ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2',
      params,
      upgrade: (same) => same,
      resultKey: 'createOauthProvidersResultV2',
    }),
  ],
});

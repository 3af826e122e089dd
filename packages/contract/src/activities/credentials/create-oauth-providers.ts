import { z } from 'zod';
import { defineActivity, later } from '../../define.ts';
import { oauthProviderParams, oauthProviderParamsV2 } from '../../shapes/credentials.ts';
import { id } from '../../shapes/primitives.ts';

const providers = <T extends z.ZodType>(item: T) =>
  z.array(item).min(1, 'must not be empty').max(100, 'must have at most 100 items');

const params = z.strictObject({ userId: id, oauthProviders: providers(oauthProviderParams) });

export const createOauthProviders = defineActivity({
  name: 'createOauthProviders',
  path: 'create_oauth_providers',
  subject: 'credentials',
  summary: 'Link OpenID Connect identities to a user',
  policy: { resource: 'CREDENTIAL', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS',
  specified: true,
  parentMayAct: true,
  params,
  intent: params,
  result: z.object({ providerIds: z.array(z.string()) }),
  later: [
    later({
      type: 'ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2',
      params: z.strictObject({ userId: id, oauthProviders: providers(oauthProviderParamsV2) }),
      // The executor reads identities in both forms; the type of the current version knows one.
      upgrade: (newer) => newer as z.output<typeof params>,
      resultKey: 'createOauthProvidersResultV2',
    }),
  ],
});

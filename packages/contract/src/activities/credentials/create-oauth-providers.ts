import { z } from 'zod';
import { defineActivity, version } from '../../define.ts';
import { oauthProviderParams, oauthProviderParamsV2 } from '../../shapes/credentials.ts';
import { id } from '../../shapes/primitives.ts';

const providers = <T extends z.ZodType>(item: T) =>
  z.array(item).min(1, 'must not be empty').max(100, 'must have at most 100 items');

const params = z.strictObject({ userId: id, oauthProviders: providers(oauthProviderParams) });
const paramsV2 = z.strictObject({ userId: id, oauthProviders: providers(oauthProviderParamsV2) });

export const createOauthProviders = defineActivity({
  name: 'createOauthProviders',
  path: 'create_oauth_providers',
  subject: 'credentials',
  summary: 'Link OpenID Connect identities to a user',
  policy: { resource: 'CREDENTIAL', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS',
  spec: 'endpoint',
  parentMayAct: true,
  params,
  input: paramsV2,
  intent: paramsV2,
  result: z.object({ providerIds: z.array(z.string()) }),
  otherVersions: [
    version({
      type: 'ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2',
      params: paramsV2,
      upgrade: (newer) => newer,
      resultKey: 'createOauthProvidersResultV2',
    }),
  ],
});

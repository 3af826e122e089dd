import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { id, idList } from '../../shapes/primitives.ts';

const params = z.strictObject({ userId: id, providerIds: idList });

export const deleteOauthProviders = defineActivity({
  name: 'deleteOauthProviders',
  path: 'delete_oauth_providers',
  subject: 'credentials',
  summary: 'Remove links to OpenID Connect identities from a user',
  policy: { resource: 'CREDENTIAL', action: 'DELETE' },
  type: 'ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS',
  spec: 'types',
  params,
  intent: params,
  result: z.object({ providerIds: z.array(z.string()) }),
});

import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/executor.ts';
import { limitExceeded, notFound } from '../refuse.ts';
import { readOauthProviders } from './new-oauth-providers.ts';

export const createOauthProviders = execute(activities.createOauthProviders, {
  exclusive: true,

  async plan({ organization, limits }, params) {
    const { userId, oauthProviders } = params;
    if (!organization.users.has(userId)) throw notFound('user', 'userId');
    const held = [...organization.records.oauthProvider.values()].filter((provider) => provider.userId === userId);
    if (held.length + oauthProviders.length > limits.maxCredentials)
      throw limitExceeded('OAuth providers of a user', limits.maxCredentials, 'maxCredentials');
    const added = readOauthProviders(oauthProviders, 'oauthProviders');
    return { intent: params, subject: { credentialsOf: userId }, prepared: { userId, added } };
  },

  async run({ newId }, { prepared: { userId, added } }) {
    const changes = added.map((provider) => ({
      op: 'putRecord' as const,
      kind: 'oauthProvider' as const,
      id: newId(),
      body: { ...provider, userId },
    }));
    return { result: { providerIds: changes.map(({ id }) => id) }, changes };
  },
});

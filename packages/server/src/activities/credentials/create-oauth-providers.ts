import { activities } from '@countersign/contract';
import { identityKey } from '../../organizations/lookups.ts';
import { execute } from '../../pipeline/executor.ts';
import { limitExceeded, notFound } from '../refuse.ts';
import { readOauthProviders } from './new-oauth-providers.ts';

export const createOauthProviders = execute(activities.createOauthProviders, {
  exclusive: true,

  oidcTokens: ({ oauthProviders }) => oauthProviders.map(({ oidcToken }) => oidcToken),

  async plan(context, params) {
    const { organization, limits } = context;
    const { userId, oauthProviders } = params;
    if (!organization.users.has(userId)) throw notFound('user', 'userId');
    const linked = [...organization.records.oauthProvider.values()];
    const held = linked.filter((provider) => provider.userId === userId);
    if (held.length + oauthProviders.length > limits.maxCredentials)
      throw limitExceeded('OAuth providers of a user', limits.maxCredentials, 'maxCredentials');
    const taken = new Set(linked.map(identityKey));
    const added = readOauthProviders(context, oauthProviders, 'oauthProviders', taken);
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

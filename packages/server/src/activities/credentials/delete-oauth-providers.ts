import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/executor.ts';
import { requireHeld } from './held-credentials.ts';

export const deleteOauthProviders = execute(activities.deleteOauthProviders, {
  exclusive: true,

  async plan({ organization }, params) {
    const { userId, providerIds } = params;
    requireHeld(organization, 'oauthProvider', userId, providerIds, 'providerIds');
    return { intent: params, subject: { credentialsOf: userId }, prepared: providerIds };
  },

  async run(_context, { prepared: providerIds }) {
    const changes = providerIds.map((id) => ({ op: 'deleteRecord' as const, kind: 'oauthProvider' as const, id }));
    return { result: { providerIds }, changes };
  },
});

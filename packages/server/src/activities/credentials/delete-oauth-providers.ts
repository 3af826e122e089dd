import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/executor.ts';
import { requireHeld } from './held-credentials.ts';
import { requireUsableQuorum } from './usable-quorum.ts';

export const deleteOauthProviders = execute(activities.deleteOauthProviders, {
  exclusive: true,

  async plan({ organization, nowMs }, params) {
    const { userId, providerIds } = params;
    requireHeld(organization, 'oauthProvider', userId, providerIds, 'providerIds');
    requireUsableQuorum(organization, new Set(providerIds), nowMs);
    return { intent: params, subject: { touches: [{ what: 'IDENTITY', userId }] }, prepared: providerIds };
  },

  async run(_context, { prepared: providerIds }) {
    const changes = providerIds.map((id) => ({ op: 'deleteRecord' as const, kind: 'oauthProvider' as const, id }));
    return { result: { providerIds }, changes };
  },
});

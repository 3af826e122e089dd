import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { requireQuorumStaysInReach } from '../quorum-in-reach.ts';
import { requireHeld } from './held-credentials.ts';
import { endOpenedSessions, sessionsOpenedWith } from './remove-api-keys.ts';

export const deleteOauthProviders = execute(activities.deleteOauthProviders, {
  locksOrganization: true,

  async plan({ organization, nowMs }, params) {
    const { userId, providerIds } = params;
    requireHeld(organization, 'oauthProvider', userId, providerIds, 'providerIds');
    const opened = sessionsOpenedWith(organization, providerIds);
    requireQuorumStaysInReach(organization, { withoutCredentials: new Set([...providerIds, ...opened.apiKeyIds]) }, nowMs);
    return { intent: params, subject: { touches: [{ what: 'IDENTITY', userId }] }, prepared: { providerIds, opened } };
  },

  async run({ organization }, { prepared: { providerIds, opened } }) {
    const changes = [
      ...providerIds.map((id) => ({ op: 'deleteRecord' as const, kind: 'oauthProvider' as const, id })),
      ...endOpenedSessions(organization, opened),
    ];
    return { result: { providerIds }, changes };
  },
});

import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { requireQuorumStaysInReach } from '../quorum-in-reach.ts';
import { requireHeld } from './held-credentials.ts';
import { endOpenedSessions, sessionsOpenedWith } from './remove-api-keys.ts';

export const deleteAuthenticators = execute(activities.deleteAuthenticators, {
  locksOrganization: true,

  async plan({ organization, nowMs }, params) {
    const { userId, authenticatorIds } = params;
    requireHeld(organization, 'authenticator', userId, authenticatorIds, 'authenticatorIds');
    const opened = sessionsOpenedWith(organization, authenticatorIds);
    requireQuorumStaysInReach(organization, { withoutCredentials: new Set([...authenticatorIds, ...opened.apiKeyIds]) }, nowMs);
    return { intent: params, subject: { touches: [{ what: 'PASSKEY', userId }] }, prepared: { authenticatorIds, opened } };
  },

  async run({ organization }, { prepared: { authenticatorIds, opened } }) {
    const changes = [
      ...authenticatorIds.map((id) => ({ op: 'deleteRecord' as const, kind: 'authenticator' as const, id })),
      ...endOpenedSessions(organization, opened),
    ];
    return { result: { authenticatorIds }, changes };
  },
});

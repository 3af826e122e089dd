import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { requireQuorumStaysInReach } from '../quorum-in-reach.ts';
import { touchedKeys } from '../touches.ts';
import { requireHeld } from './held-credentials.ts';
import { endOpenedSessions, removeApiKeys, requireNoLockOutWithout, sessionsOpenedWith } from './remove-api-keys.ts';

export const deleteApiKeys = execute(activities.deleteApiKeys, {
  locksOrganization: true,

  async plan(context, params) {
    const { organization, nowMs } = context;
    const { userId, apiKeyIds } = params;
    requireHeld(organization, 'apiKey', userId, apiKeyIds, 'apiKeyIds');
    const opened = sessionsOpenedWith(organization, apiKeyIds);
    requireQuorumStaysInReach(organization, { withoutCredentials: new Set([...apiKeyIds, ...opened.apiKeyIds]) }, nowMs);
    requireNoLockOutWithout(context, apiKeyIds);
    return {
      intent: params,
      subject: { touches: touchedKeys(organization, userId, apiKeyIds) },
      prepared: { apiKeyIds, opened },
    };
  },

  async run(context, { prepared: { apiKeyIds, opened } }) {
    const { organization } = context;
    requireNoLockOutWithout(context, apiKeyIds);
    const changes = [...removeApiKeys(organization, apiKeyIds), ...endOpenedSessions(organization, opened)];
    return { result: { apiKeyIds }, changes };
  },
});

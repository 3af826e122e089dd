import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/executor.ts';
import { touchedKeys } from '../touches.ts';
import { requireHeld } from './held-credentials.ts';
import { removeApiKeys, requireNoLockOutWithout } from './remove-api-keys.ts';
import { requireUsableQuorum } from './usable-quorum.ts';

export const deleteApiKeys = execute(activities.deleteApiKeys, {
  exclusive: true,

  async plan(context, params) {
    const { organization, nowMs } = context;
    const { userId, apiKeyIds } = params;
    requireHeld(organization, 'apiKey', userId, apiKeyIds, 'apiKeyIds');
    requireUsableQuorum(organization, new Set(apiKeyIds), nowMs);
    requireNoLockOutWithout(context, apiKeyIds);
    return { intent: params, subject: { touches: touchedKeys(organization, userId, apiKeyIds) }, prepared: apiKeyIds };
  },

  async run(context, { prepared: apiKeyIds }) {
    requireNoLockOutWithout(context, apiKeyIds);
    return { result: { apiKeyIds }, changes: removeApiKeys(context.organization, apiKeyIds) };
  },
});

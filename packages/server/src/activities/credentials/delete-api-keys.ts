import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/executor.ts';
import { requireHeld } from './held-credentials.ts';
import { removeApiKeys } from './remove-api-keys.ts';
import { requireUsableQuorum } from './usable-quorum.ts';

export const deleteApiKeys = execute(activities.deleteApiKeys, {
  exclusive: true,

  async plan({ organization, nowMs }, params) {
    const { userId, apiKeyIds } = params;
    requireHeld(organization, 'apiKey', userId, apiKeyIds, 'apiKeyIds');
    requireUsableQuorum(organization, new Set(apiKeyIds), nowMs);
    return { intent: params, subject: { credentialsOf: userId }, prepared: apiKeyIds };
  },

  async run({ organization }, { prepared: apiKeyIds }) {
    return { result: { apiKeyIds }, changes: removeApiKeys(organization, apiKeyIds) };
  },
});

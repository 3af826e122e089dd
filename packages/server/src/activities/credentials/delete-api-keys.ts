import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/executor.ts';
import { firstRepeated, invalidField, notFound } from '../refuse.ts';
import { requireUsableQuorum } from './usable-quorum.ts';

export const deleteApiKeys = execute(activities.deleteApiKeys, {
  exclusive: true,

  async plan({ organization, nowMs }, params) {
    const { userId, apiKeyIds } = params;
    if (!organization.users.has(userId)) throw notFound('user', 'userId');
    for (const [index, id] of apiKeyIds.entries()) {
      if (organization.apiKeys.get(id)?.userId !== userId) throw notFound('API key of this user', `apiKeyIds.${index}`);
    }
    const repeated = firstRepeated(apiKeyIds);
    if (repeated !== undefined) throw invalidField(`apiKeyIds.${repeated}`, 'names a key that the list has already');
    requireUsableQuorum(organization, new Set(apiKeyIds), nowMs);
    return { intent: params, subject: { credentialsOf: userId }, prepared: apiKeyIds };
  },

  async run(_context, { prepared: apiKeyIds }) {
    const changes = apiKeyIds.map((id) => ({ op: 'deleteRecord' as const, kind: 'apiKey' as const, id }));
    return { result: { apiKeyIds }, changes };
  },
});

import { activities } from '@countersign/contract';
import { credentialsOfUser } from '@countersign/judgement';
import type { Change } from '../../organizations/snapshot/changes.ts';
import { takenIn } from '../../organizations/snapshot/indexes.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { notFound } from '../../wire/refuse.ts';
import { makeRoom, readApiKeys, toCount } from './new-api-keys.ts';
import { endOpenedSessions, removeApiKeys, requireNoLockOutWithout, sessionsOpenedWith } from './remove-api-keys.ts';

export const createApiKeys = execute(activities.createApiKeys, {
  locksOrganization: true,

  async plan(context, params) {
    const { organization, limits, nowMs } = context;
    const { userId } = params;
    if (!organization.users.has(userId)) throw notFound('user', 'userId');
    const held = credentialsOfUser(organization.apiKeys, userId);
    const evicted = makeRoom(held, toCount(params.apiKeys), limits.maxCredentials, nowMs);
    const added = readApiKeys(params.apiKeys, 'apiKeys', takenIn(organization.apiKeyByPublicKey), nowMs);
    requireNoLockOutWithout(context, evicted);
    return { intent: params, subject: { touches: [{ what: 'API_KEY', userId }] }, prepared: { userId, added, evicted } };
  },

  async run(context, { prepared: { userId, added, evicted } }) {
    const { organization, newId } = context;
    requireNoLockOutWithout(context, evicted);
    const apiKeyIds = added.map(() => newId());
    const changes: Change[] = [
      ...removeApiKeys(organization, evicted),
      ...endOpenedSessions(organization, sessionsOpenedWith(organization, evicted)),
      ...added.map((key, index) => ({
        op: 'putRecord' as const,
        kind: 'apiKey' as const,
        id: apiKeyIds[index] as string,
        body: { ...key, userId },
      })),
    ];
    return { result: { apiKeyIds }, changes };
  },
});

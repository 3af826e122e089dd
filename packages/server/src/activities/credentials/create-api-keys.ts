import { activities } from '@countersign/contract';
import { credentialsOfUser } from '@countersign/judgement';
import type { Change } from '../../organizations/snapshot/changes.ts';
import { takenIn } from '../../organizations/snapshot/indexes.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { notFound } from '../../wire/refuse.ts';
import { evictionOf } from './evicted-keys.ts';
import { inheritanceWarnings, inheritedList, putLists, withInheritedEnd } from './inherit-limits.ts';
import { makeRoom, readApiKeys, toCount, touchedBySignInKey } from './new-api-keys.ts';
import { endOpenedSessions, removeApiKeys, requireNoLockOutWithout, sessionsOpenedWith } from './remove-api-keys.ts';

export const createApiKeys = execute(activities.createApiKeys, {
  locksOrganization: true,

  async plan(context, params) {
    const { organization, limits, nowMs } = context;
    const { userId } = params;
    if (!organization.users.has(userId)) throw notFound('user', 'userId');
    const inherited = context.inheritedBy(userId);
    const apiKeys = withInheritedEnd(params.apiKeys, inherited, nowMs);
    const held = credentialsOfUser(organization.apiKeys, userId);
    const evicted = makeRoom(held, toCount(apiKeys), limits.maxCredentials, nowMs);
    const added = readApiKeys(apiKeys, 'apiKeys', takenIn(organization.apiKeyByPublicKey), nowMs);
    requireNoLockOutWithout(context, evicted);
    const list = inheritedList(organization, inherited, nowMs);
    const warnings = inheritanceWarnings(params.apiKeys, added, inherited, list);
    return {
      intent: params,
      subject: { touches: [{ what: 'API_KEY', userId }, ...touchedBySignInKey(context, added)] },
      prepared: { userId, added, evicted, limitedTo: inherited.limitedTo, list, warnings },
    };
  },

  async run(context, { prepared: { userId, added, evicted, limitedTo, list, warnings } }) {
    const { organization, newId, nowMs } = context;
    requireNoLockOutWithout(context, evicted);
    const apiKeyIds = added.map(() => newId());
    const eviction = evictionOf(organization, userId, evicted, nowMs);
    const changes: Change[] = [
      ...removeApiKeys(organization, evicted),
      ...endOpenedSessions(organization, sessionsOpenedWith(organization, evicted)),
      ...added.map((key, index) => ({
        op: 'putRecord' as const,
        kind: 'apiKey' as const,
        id: apiKeyIds[index] as string,
        body: { ...key, userId, ...(limitedTo && { limitedTo }) },
      })),
      ...putLists(apiKeyIds, list),
      ...eviction.changes,
    ];
    return { result: { apiKeyIds }, changes, warnings: [...warnings, ...eviction.warnings] };
  },
});

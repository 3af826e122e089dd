import { activities } from '@countersign/contract';
import { isSession, type Touch } from '@countersign/judgement';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { notFound } from '../../wire/refuse.ts';
import { endOpenedSessions, requireNoLockOutWithout, type Sessions, sessionsOpenedWith } from '../credentials/remove-api-keys.ts';

/**
 * Ends sessions, and the sessions that were opened with them.
 * A session can always be ended, even if it is the last credential of a root user: it expires anyway, and no quorum may depend on it.
 */
export const endSessions = execute(activities.endSessions, {
  locksOrganization: true,

  async plan(context, params) {
    const { organization, submitterId } = context;
    const { apiKeyId, all } = params;
    const userId = params.userId ?? submitterId;
    if (apiKeyId !== undefined) {
      const key = organization.apiKeys.get(apiKeyId);
      if (key === undefined || !isSession(key)) throw notFound('session', 'apiKeyId');
    } else if (all !== true && !organization.users.has(userId)) throw notFound('user', 'userId');
    const isMeant = (id: string, holderId: string) =>
      apiKeyId === undefined ? all === true || holderId === userId : id === apiKeyId;
    const named = sessionsOf(organization, isMeant);
    const opened = sessionsOpenedWith(organization, named.apiKeyIds);
    const ended = {
      apiKeyIds: union(named.apiKeyIds, opened.apiKeyIds),
      readOnlySessionIds: union(named.readOnlySessionIds, opened.readOnlySessionIds),
    };
    requireNoLockOutWithout(context, ended.apiKeyIds);
    const holders = apiKeyId === undefined && all !== true ? [userId] : holdersOf(organization, ended);
    const touched = all === true ? union(holders, organization.profile.rootQuorum.userIds) : holders;
    const touches = touched.map((id): Touch => ({ what: 'SESSION', userId: id, ends: true }));
    // SECURITY: policies see whose sessions end, however the request names them. The user is undefined if all sessions end.
    const holder = apiKeyId === undefined ? userId : organization.apiKeys.get(apiKeyId)?.userId;
    const parameters = () => ({ userId: all === true ? undefined : holder });
    return { intent: params, subject: { touches, parameters }, prepared: ended };
  },

  async run(context, { prepared: ended }) {
    const { organization } = context;
    requireNoLockOutWithout(context, ended.apiKeyIds);
    return {
      result: { apiKeyIds: ended.apiKeyIds, readOnlySessions: ended.readOnlySessionIds.length },
      changes: endOpenedSessions(organization, ended),
    };
  },
});

const union = (some: readonly string[], more: readonly string[]) => [...new Set([...some, ...more])];

function sessionsOf({ apiKeys, records }: Snapshot, isMeant: (id: string, holderId: string) => boolean): Sessions {
  return {
    apiKeyIds: [...apiKeys].filter(([id, key]) => isSession(key) && isMeant(id, key.userId)).map(([id]) => id),
    readOnlySessionIds: [...records.readOnlySession].filter(([id, { userId }]) => isMeant(id, userId)).map(([id]) => id),
  };
}

function holdersOf({ apiKeys, records }: Snapshot, { apiKeyIds, readOnlySessionIds }: Sessions): string[] {
  const keys = apiKeyIds.map((id) => apiKeys.get(id)?.userId);
  const readOnly = readOnlySessionIds.map((id) => records.readOnlySession.get(id)?.userId);
  return union(
    [...keys, ...readOnly].filter((id) => id !== undefined),
    [],
  );
}

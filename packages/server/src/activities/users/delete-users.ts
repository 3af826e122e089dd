import { activities, ServiceError } from '@countersign/contract';
import { credentialsOfUser } from '@countersign/judgement';
import type { RecordBodies, RecordKind } from '../../organizations/records.ts';
import type { LocalChange } from '../../organizations/snapshot/changes.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { endOpenedSessions, removeApiKeys, requireNoLockOutWithout, sessionsOpenedWith } from '../credentials/remove-api-keys.ts';
import { touchedUser } from '../touches.ts';
import { removeTarget } from '../transfer/import-targets.ts';
import { revokeInvitationsOf } from './invitations.ts';
import { requireUsers } from './tag-users.ts';

export const deleteUsers = execute(activities.deleteUsers, {
  locksOrganization: true,

  contextChange: (_context, { userIds }) => ({ users: new Map(userIds.map((id) => [id, undefined])) }),

  async plan(context, params) {
    const { organization } = context;
    const { userIds } = params;
    requireUsers(organization, userIds, 'userIds');
    const { rootQuorum } = organization.profile;
    const member = userIds.findIndex((id) => rootQuorum.userIds.includes(id));
    if (member >= 0) {
      throw new ServiceError(
        'PRECONDITION_FAILED',
        'quorum users missing: a member of the root quorum cannot be deleted. Remove the user from it with update_root_quorum first.',
        { violations: [{ field: `userIds.${member}`, description: 'This user is a member of the root quorum.' }] },
      );
    }
    const apiKeyIds = userIds.flatMap((userId) => [...credentialsOfUser(organization.apiKeys, userId).keys()]);
    requireNoLockOutWithout(context, apiKeyIds);
    return {
      intent: params,
      subject: { touches: userIds.map((userId) => touchedUser(organization, userId)) },
      prepared: { userIds, apiKeyIds },
    };
  },

  async run(context, { prepared: { userIds, apiKeyIds } }) {
    const { organization, nowMs } = context;
    requireNoLockOutWithout(context, apiKeyIds);
    const changes = userIds.flatMap((id) => deleteUser(organization, id, nowMs));
    return { result: { userIds }, changes: [...changes, ...sessionsLeft(organization, userIds)] };
  },
});

/** Returns the changes that end sessions of other users that were opened with a credential of these users. */
function sessionsLeft(organization: Snapshot, userIds: readonly string[]): LocalChange[] {
  const { apiKeys, authenticators, records } = organization;
  const held = userIds.flatMap((userId) =>
    [apiKeys, authenticators, records.oauthProvider].flatMap((all) => [
      ...credentialsOfUser<{ readonly userId: string }>(all, userId).keys(),
    ]),
  );
  const { apiKeyIds, readOnlySessionIds } = sessionsOpenedWith(organization, held);
  return endOpenedSessions(organization, {
    apiKeyIds: apiKeyIds.filter((id) => !userIds.includes(apiKeys.get(id)?.userId ?? '')),
    readOnlySessionIds: readOnlySessionIds.filter((id) => !userIds.includes(records.readOnlySession.get(id)?.userId ?? '')),
  });
}

type Owned = {
  [K in RecordKind]: RecordBodies[K] extends { readonly userId: string } ? K : never;
}[RecordKind];

/** Whether records of each kind are deleted with their user. A missing kind is a compile error. */
const goesWithUser = {
  apiKey: true,
  authenticator: true,
  oauthProvider: true,
  readOnlySession: true,
  importTarget: true,
  mfaPolicy: true,
  pushSubscription: true,
  evictedKeys: true,
  // A used token must stay used, even if its identity is linked to another user later.
  usedToken: false,
} satisfies Record<Owned, boolean>;

/** Deletes a user and everything that could act on behalf of the user. */
function deleteUser(organization: Snapshot, userId: string, nowMs: number): LocalChange[] {
  const { records } = organization;
  const kinds = (Object.keys(goesWithUser) as Owned[]).filter((kind) => goesWithUser[kind]);
  const owned = kinds.flatMap((kind) =>
    [...credentialsOfUser<{ readonly userId: string }>(records[kind], userId).keys()].map((id) => ({ kind, id })),
  );
  return [
    ...owned.flatMap(({ kind, id }): LocalChange[] => {
      if (kind === 'importTarget') return removeTarget(id);
      return kind === 'apiKey' ? removeApiKeys(organization, [id]) : [{ op: 'deleteRecord', kind, id }];
    }),
    ...revokeInvitationsOf(organization, userId, nowMs),
    ...(records.freeze.has(userId) ? [{ op: 'deleteRecord' as const, kind: 'freeze' as const, id: userId }] : []),
    { op: 'deleteRecord', kind: 'user', id: userId },
  ];
}

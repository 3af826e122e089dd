import { activities, ServiceError } from '@countersign/contract';
import type { LocalChange } from '../../organizations/changes.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';
import { execute } from '../../pipeline/executor.ts';
import { requireUsers } from './tag-users.ts';

export const deleteUsers = execute(activities.deleteUsers, {
  exclusive: true,

  async plan({ organization }, params) {
    const { userIds } = params;
    requireUsers(organization, userIds, 'userIds');
    const { rootQuorum } = organization.organization;
    const member = userIds.findIndex((id) => rootQuorum.userIds.includes(id));
    if (member >= 0) {
      throw new ServiceError(
        'PRECONDITION_FAILED',
        'quorum users missing: a member of the root quorum cannot be deleted. Take the user out of it with update_root_quorum first.',
        { violations: [{ field: `userIds.${member}`, description: 'This user is a member of the root quorum.' }] },
      );
    }
    return { intent: params, subject: {}, prepared: userIds };
  },

  async run({ organization }, { prepared: userIds }) {
    return { result: { userIds }, changes: userIds.flatMap((id) => deleteUser(organization, id)) };
  },
});

/** What a user can have that acts in the user's name. */
const kindsHeld = ['apiKey', 'authenticator', 'oauthProvider', 'readOnlySession', 'importTarget'] as const;

/** Takes a user out of the organization with everything that could act in the user's name. */
function deleteUser({ records }: Snapshot, userId: string): LocalChange[] {
  const held = (kind: (typeof kindsHeld)[number]) =>
    [...records[kind]].filter(([, record]) => record.userId === userId).map(([id]) => id);
  return [
    ...kindsHeld.flatMap((kind) => held(kind).map((id) => ({ op: 'deleteRecord' as const, kind, id }))),
    ...held('importTarget').map((id) => ({ op: 'deleteSecret' as const, id })),
    { op: 'deleteRecord', kind: 'user', id: userId },
  ];
}

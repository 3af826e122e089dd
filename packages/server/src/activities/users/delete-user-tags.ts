import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { requireTags, untagged } from '../tags.ts';
import { touchedTags } from '../touches.ts';
import { retagged, retagUsers } from './tag-users.ts';

export const deleteUserTags = execute(activities.deleteUserTags, {
  locksOrganization: true,

  contextChange: ({ organization }, { userTagIds }) => ({
    users: retagged(organization, organization.users.keys(), (tags) => untagged(tags, userTagIds)),
  }),

  async plan({ organization }, params) {
    requireTags(organization, 'userTag', params.userTagIds, 'userTagIds');
    const touches = touchedTags([...organization.users.keys()], params.userTagIds, { lost: true });
    return { intent: params, subject: { touches }, prepared: params.userTagIds };
  },

  async run({ organization, nowMs }, { prepared: userTagIds }) {
    const users = retagUsers(organization, organization.users.keys(), (tags) => untagged(tags, userTagIds), nowMs);
    return {
      result: { userTagIds, userIds: users.map(({ id }) => id) },
      changes: [...userTagIds.map((id) => ({ op: 'deleteRecord' as const, kind: 'userTag' as const, id })), ...users],
    };
  },
});

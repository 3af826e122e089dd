import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { requireNewTag, tagged } from '../tags.ts';
import { requireUsers, retagged, retagUsers } from './tag-users.ts';

export const createUserTag = execute(activities.createUserTag, {
  locksOrganization: true,

  contextChange: ({ organization }, { userTagName, userIds }) => ({
    users: retagged(organization, userIds, (tags) => tagged(tags, `new:${userTagName}`)),
  }),

  async plan({ organization, limits }, params) {
    requireNewTag(organization, limits, 'userTag', params.userTagName, 'userTagName');
    requireUsers(organization, params.userIds, 'userIds');
    return { intent: params, subject: {}, prepared: params };
  },

  async run({ organization, newId, nowMs }, { prepared: { userTagName, userIds } }) {
    const userTagId = newId();
    const body = { tagName: userTagName, createdAtMs: nowMs, updatedAtMs: nowMs };
    return {
      result: { userTagId, userIds },
      changes: [
        { op: 'putRecord', kind: 'userTag', id: userTagId, body },
        ...retagUsers(organization, userIds, (tags) => tagged(tags, userTagId), nowMs),
      ],
    };
  },
});

import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { notFound } from '../../wire/refuse.ts';
import { requireDisjoint, requireFreeTagName, tagged, untagged } from '../tags.ts';
import { touchedTags } from '../touches.ts';
import { requireUsers, retagged, retagUsers } from './tag-users.ts';

export const updateUserTag = execute(activities.updateUserTag, {
  locksOrganization: true,

  contextChange({ organization }, { userTagId, addUserIds, removeUserIds }) {
    const added = retagged(organization, addUserIds, (tags) => tagged(tags, userTagId));
    const removed = retagged(organization, removeUserIds, (tags) => untagged(tags, [userTagId]));
    return { users: new Map([...added, ...removed]) };
  },

  async plan({ organization }, params) {
    const { userTagId, newUserTagName, addUserIds, removeUserIds } = params;
    const tag = organization.records.userTag.get(userTagId);
    if (tag === undefined) throw notFound('user tag', 'userTagId');
    const tagName = newUserTagName ?? tag.tagName;
    requireFreeTagName(organization, 'userTag', tagName, 'newUserTagName', userTagId);
    requireUsers(organization, addUserIds, 'addUserIds');
    requireUsers(organization, removeUserIds, 'removeUserIds');
    requireDisjoint(addUserIds, removeUserIds, 'addUserIds');
    return {
      intent: { ...params, newUserTagName: tagName },
      subject: { touches: [...touchedTags(addUserIds, [userTagId]), ...touchedTags(removeUserIds, [userTagId], { lost: true })] },
      prepared: { ...params, tag: { ...tag, tagName } },
    };
  },

  async run({ organization, nowMs }, { prepared: { userTagId, tag, addUserIds, removeUserIds } }) {
    return {
      result: { userTagId },
      changes: [
        { op: 'putRecord', kind: 'userTag', id: userTagId, body: { ...tag, updatedAtMs: nowMs } },
        ...retagUsers(organization, addUserIds, (tags) => tagged(tags, userTagId), nowMs),
        ...retagUsers(organization, removeUserIds, (tags) => untagged(tags, [userTagId]), nowMs),
      ],
    };
  },
});

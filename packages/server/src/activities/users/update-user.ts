import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/executor.ts';
import { requireTags } from '../tags.ts';
import { touchedByChange } from '../touches.ts';
import { changeUser } from './change-user.ts';

export const updateUser = execute(activities.updateUser, {
  exclusive: true,

  async plan({ organization }, params) {
    const { userId, userName, userEmail, userPhoneNumber, userTagIds } = params;
    const changed = changeUser(organization, userId, {
      ...(userName !== undefined && { userName }),
      ...(userEmail !== undefined && { userEmail }),
      ...(userPhoneNumber !== undefined && { userPhoneNumber }),
      ...(userTagIds !== undefined && { userTags: userTagIds }),
    });
    if (userTagIds !== undefined) requireTags(organization, 'userTag', userTagIds, 'userTagIds');
    return {
      intent: params,
      subject: { touches: touchedByChange(userId, changeUser(organization, userId, {}), changed) },
      prepared: { userId, changed },
    };
  },

  async run({ nowMs }, { prepared: { userId, changed } }) {
    const body = { ...changed, updatedAtMs: nowMs };
    return { result: { userId }, changes: [{ op: 'putRecord', kind: 'user', id: userId, body }] };
  },
});

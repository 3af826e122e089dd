import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/executor.ts';
import { nameTaken, notFound } from '../refuse.ts';
import { requireTags } from '../tags.ts';

export const updateUser = execute(activities.updateUser, {
  exclusive: true,

  async plan({ organization }, params) {
    const { userId, userName, userEmail, userPhoneNumber, userTagIds } = params;
    const user = organization.users.get(userId);
    if (user === undefined) throw notFound('user', 'userId');
    for (const [id, other] of organization.users) {
      if (other.userName === userName && id !== userId) throw nameTaken('user', 'userName');
    }
    if (userTagIds !== undefined) requireTags(organization, 'userTag', userTagIds, 'userTagIds');
    const changed = {
      ...user,
      ...(userName !== undefined && { userName }),
      ...(userEmail !== undefined && { userEmail }),
      ...(userPhoneNumber !== undefined && { userPhoneNumber }),
      ...(userTagIds !== undefined && { userTags: userTagIds }),
    };
    return { intent: params, subject: {}, prepared: { userId, changed } };
  },

  async run({ nowMs }, { prepared: { userId, changed } }) {
    const body = { ...changed, updatedAtMs: nowMs };
    return { result: { userId }, changes: [{ op: 'putRecord', kind: 'user', id: userId, body }] };
  },
});

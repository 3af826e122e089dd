import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { touchedByChange } from '../touches.ts';
import { changeUser } from './change-user.ts';

export const updateUserName = execute(activities.updateUserName, {
  locksOrganization: true,

  contextChange({ organization }, { userId, userName }) {
    const user = organization.users.get(userId);
    return user && { users: new Map([[userId, { ...user, userName }]]) };
  },

  async plan({ organization }, params) {
    const { userId, userName } = params;
    const changed = changeUser(organization, userId, { userName });
    const touches = touchedByChange(userId, changeUser(organization, userId, {}), changed);
    return { intent: params, subject: { touches }, prepared: { userId, changed } };
  },

  async run({ nowMs }, { prepared: { userId, changed } }) {
    const body = { ...changed, updatedAtMs: nowMs };
    return { result: { userId }, changes: [{ op: 'putRecord', kind: 'user', id: userId, body }] };
  },
});

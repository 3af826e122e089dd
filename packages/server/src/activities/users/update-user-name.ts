import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/executor.ts';
import { changeUser } from './change-user.ts';

export const updateUserName = execute(activities.updateUserName, {
  exclusive: true,

  async plan({ organization }, params) {
    const { userId, userName } = params;
    const changed = changeUser(organization, userId, { userName });
    return { intent: params, subject: { touches: [{ what: 'NAME', userId, userName }] }, prepared: { userId, changed } };
  },

  async run({ nowMs }, { prepared: { userId, changed } }) {
    const body = { ...changed, updatedAtMs: nowMs };
    return { result: { userId }, changes: [{ op: 'putRecord', kind: 'user', id: userId, body }] };
  },
});

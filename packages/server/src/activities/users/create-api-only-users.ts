import { activities, withCurve } from '@countersign/contract';
import { execute } from '../../pipeline/executor.ts';
import { readUsers, recordUsers } from './new-user.ts';

export const createApiOnlyUsers = execute(activities.createApiOnlyUsers, {
  exclusive: true,

  async plan(context, params) {
    const users = params.apiOnlyUsers.map((user) => ({
      ...user,
      apiKeys: user.apiKeys.map(withCurve),
      authenticators: [],
      oauthProviders: [],
    }));
    return { intent: params, subject: {}, prepared: await readUsers(context, users, 'apiOnlyUsers') };
  },

  async run({ newId }, { prepared }) {
    return recordUsers(prepared, newId);
  },
});

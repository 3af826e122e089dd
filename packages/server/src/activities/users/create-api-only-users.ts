import { activities, withCurve } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { newcomers, readUsers, recordUsers, touchedByUsers } from './new-user.ts';

export const createApiOnlyUsers = execute(activities.createApiOnlyUsers, {
  locksOrganization: true,

  contextChange: ({ nowMs }, { apiOnlyUsers }) => ({ users: newcomers(apiOnlyUsers, nowMs) }),

  async plan(context, params) {
    const users = params.apiOnlyUsers.map((user) => ({
      ...user,
      apiKeys: user.apiKeys.map(withCurve),
      authenticators: [],
      oauthProviders: [],
    }));
    const prepared = await readUsers(context, users, 'apiOnlyUsers');
    return { intent: params, subject: { touches: touchedByUsers(context, users, prepared) }, prepared };
  },

  async run({ newId }, { prepared }) {
    return recordUsers(prepared, newId);
  },
});

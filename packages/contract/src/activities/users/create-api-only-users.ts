import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { apiOnlyUserParams } from '../../shapes/users.ts';

const params = z.strictObject({
  apiOnlyUsers: z.array(apiOnlyUserParams).min(1, 'must not be empty').max(100, 'must have at most 100 items'),
});

export const createApiOnlyUsers = defineActivity({
  name: 'createApiOnlyUsers',
  path: 'create_api_only_users',
  subject: 'users',
  summary: 'Create users who have only API keys',
  policy: { resource: 'USER', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_CREATE_API_ONLY_USERS',
  spec: 'types',
  params,
  intent: params,
  result: z.object({ userIds: z.array(z.string()) }),
});

import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { idList } from '../../shapes/primitives.ts';

const params = z.strictObject({ userIds: idList });

export const deleteUsers = defineActivity({
  name: 'deleteUsers',
  path: 'delete_users',
  subject: 'users',
  summary: 'Delete users and their credentials. Members of the root quorum must leave it first',
  policy: { resource: 'USER', action: 'DELETE' },
  type: 'ACTIVITY_TYPE_DELETE_USERS',
  spec: 'types',
  params,
  intent: params,
  result: z.object({ userIds: z.array(z.string()) }),
});

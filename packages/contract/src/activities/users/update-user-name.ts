import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { id, label } from '../../shapes/primitives.ts';

const params = z.strictObject({ userId: id, userName: label });

export const updateUserName = defineActivity({
  name: 'updateUserName',
  path: 'update_user_name',
  subject: 'users',
  summary: 'Rename a user',
  policy: { resource: 'USER', action: 'UPDATE' },
  type: 'ACTIVITY_TYPE_UPDATE_USER_NAME',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ userId: z.string() }),
});

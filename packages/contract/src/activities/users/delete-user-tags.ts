import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { idList } from '../../shapes/primitives.ts';

const params = z.strictObject({ userTagIds: idList });

export const deleteUserTags = defineActivity({
  name: 'deleteUserTags',
  path: 'delete_user_tags',
  subject: 'users',
  summary: 'Delete user tags. The result lists the users who had them',
  policy: { resource: 'USER', action: 'DELETE' },
  type: 'ACTIVITY_TYPE_DELETE_USER_TAGS',
  spec: 'types',
  params,
  intent: params,
  result: z.object({ userTagIds: z.array(z.string()), userIds: z.array(z.string()) }),
});

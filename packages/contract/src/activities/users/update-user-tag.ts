import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { id, label } from '../../shapes/primitives.ts';
import { taggedIds } from '../../shapes/tags.ts';

const params = z.strictObject({
  userTagId: id,
  newUserTagName: label.optional(),
  addUserIds: taggedIds.default([]),
  removeUserIds: taggedIds.default([]),
});

export const updateUserTag = defineActivity({
  name: 'updateUserTag',
  path: 'update_user_tag',
  subject: 'users',
  summary: 'Rename a user tag, or assign it to and remove it from users',
  policy: { resource: 'USER', action: 'UPDATE' },
  type: 'ACTIVITY_TYPE_UPDATE_USER_TAG',
  spec: 'endpoint',
  params,
  intent: params,
  result: z.object({ userTagId: z.string() }),
});

import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { label } from '../../shapes/primitives.ts';
import { taggedIds } from '../../shapes/tags.ts';

const params = z.strictObject({ userTagName: label, userIds: taggedIds });

export const createUserTag = defineActivity({
  name: 'createUserTag',
  path: 'create_user_tag',
  subject: 'users',
  summary: 'Create a user tag and assign it to users',
  policy: { resource: 'USER', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_CREATE_USER_TAG',
  spec: 'types',
  params,
  intent: params,
  result: z.object({ userTagId: z.string(), userIds: z.array(z.string()) }),
});

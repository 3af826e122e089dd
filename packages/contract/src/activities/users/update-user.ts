import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { email, id, label, phoneNumber } from '../../shapes/primitives.ts';
import { userTags } from '../../shapes/users.ts';

const params = z.strictObject({
  userId: id,
  userName: label.optional(),
  userEmail: email.optional(),
  userTagIds: userTags.optional().describe('All tags that the user shall have; an empty list takes them all off'),
  userPhoneNumber: phoneNumber.optional(),
});

export const updateUser = defineActivity({
  name: 'updateUser',
  path: 'update_user',
  subject: 'users',
  summary: 'Change a user; what is left out stays',
  policy: { resource: 'USER', action: 'UPDATE' },
  type: 'ACTIVITY_TYPE_UPDATE_USER',
  spec: 'types',
  params,
  intent: params,
  result: z.object({ userId: z.string() }),
});

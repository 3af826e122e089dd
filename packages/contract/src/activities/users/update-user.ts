import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { policyMarks } from '../../policy-view/marks.ts';
import { email, id, label, phoneNumber } from '../../shapes/primitives.ts';
import { userTags } from '../../shapes/users.ts';

const params = z.strictObject({
  userId: id,
  userName: label.optional(),
  userEmail: email.optional(),
  userTagIds: userTags
    .optional()
    .register(policyMarks, { resolved: 'the tags that the user has' })
    .describe('The complete list of the user’s tags. An empty list removes all of them'),
  userPhoneNumber: phoneNumber.optional(),
});

export const updateUser = defineActivity({
  name: 'updateUser',
  path: 'update_user',
  subject: 'users',
  summary: 'Change a user. Omitted fields stay the same',
  policy: { resource: 'USER', action: 'UPDATE' },
  type: 'ACTIVITY_TYPE_UPDATE_USER',
  spec: 'types',
  params,
  intent: params,
  result: z.object({ userId: z.string() }),
});

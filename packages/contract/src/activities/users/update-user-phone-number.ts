import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { id, phoneNumber } from '../../shapes/primitives.ts';
import { verificationToken } from '../../shapes/verification.ts';

const params = z.strictObject({
  userId: id,
  userPhoneNumber: z
    .string()
    .refine(
      (text) => text === '' || phoneNumber.safeParse(text).success,
      'must be a phone number in E.164 form, for example +15555550100, or empty to remove it',
    )
    .describe('The new phone number. An empty text removes the current one'),
  verificationToken: verificationToken.optional().describe('A token that proves control of the new number. It can be used once'),
});

export const updateUserPhoneNumber = defineActivity({
  name: 'updateUserPhoneNumber',
  path: 'update_user_phone_number',
  subject: 'users',
  summary: "Change or remove a user's phone number",
  policy: { resource: 'USER', action: 'UPDATE' },
  type: 'ACTIVITY_TYPE_UPDATE_USER_PHONE_NUMBER',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ userId: z.string() }),
});

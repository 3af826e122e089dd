import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { policyMarks } from '../../policy-view/marks.ts';
import { email, id } from '../../shapes/primitives.ts';
import { verificationToken } from '../../shapes/verification.ts';

const params = z.strictObject({
  userId: id,
  userEmail: z
    .string()
    .max(254, 'must have at most 254 characters')
    .refine((text) => text === '' || email.safeParse(text).success, 'must be an email address, or empty to remove it')
    .register(policyMarks, { form: 'caseless' })
    .describe('The new email address. An empty text removes the current one'),
  verificationToken: verificationToken.optional().describe('A token that proves control of the new address. It can be used once'),
});

export const updateUserEmail = defineActivity({
  name: 'updateUserEmail',
  path: 'update_user_email',
  subject: 'users',
  summary: "Change or remove a user's email address",
  policy: { resource: 'USER', action: 'UPDATE' },
  type: 'ACTIVITY_TYPE_UPDATE_USER_EMAIL',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ userId: z.string() }),
});

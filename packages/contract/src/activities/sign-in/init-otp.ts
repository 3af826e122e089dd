import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { codeRequest, codeShape, contactMisfit, fitsContact } from '../../shapes/messages.ts';
import { seconds } from '../../shapes/primitives.ts';

const params = z
  .strictObject({
    ...codeRequest,
    ...codeShape,
    expirationSeconds: seconds
      .refine((text) => Number(text) <= 600, 'must be at most 600')
      .optional()
      .describe('How long the code is good for: 300 by default, 600 at most'),
  })
  .refine(fitsContact, contactMisfit);

export const initOtp = defineActivity({
  name: 'initOtp',
  path: 'init_otp',
  subject: 'sign-in',
  summary: 'Send a one-time code to an e-mail address or a phone number, whoever has it',
  policy: { resource: 'OTP', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_INIT_OTP',
  params,
  intent: params,
  result: z.object({ otpId: z.string() }),
});

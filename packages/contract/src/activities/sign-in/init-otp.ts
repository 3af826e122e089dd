import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { codeRequest, codeSeconds, codeShape, contactMisfit, fitsContact } from '../../shapes/messages.ts';

const params = z
  .strictObject({
    ...codeRequest,
    ...codeShape,
    expirationSeconds: codeSeconds.optional(),
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

import { z } from 'zod';
import { defineActivity, previous } from '../../define.ts';
import { codeRequest, codeShape, contactMisfit, fitsContact } from '../../shapes/messages.ts';

const params = z.strictObject({ ...codeRequest, ...codeShape }).refine(fitsContact, contactMisfit);

export const initOtpAuth = defineActivity({
  name: 'initOtpAuth',
  path: 'init_otp_auth',
  subject: 'sign-in',
  summary: 'Send a user a one-time code to sign in with',
  policy: { resource: 'AUTH', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_INIT_OTP_AUTH_V2',
  parentMayAct: true,
  params,
  intent: params,
  result: z.object({ otpId: z.string() }),
  resultKey: 'initOtpAuthResultV2',
  previous: [
    previous({
      type: 'ACTIVITY_TYPE_INIT_OTP_AUTH',
      params: z.strictObject(codeRequest).refine(fitsContact, contactMisfit),
      upgrade: (old) => old,
    }),
  ],
});

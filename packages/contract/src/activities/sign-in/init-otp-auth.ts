import { z } from 'zod';
import { defineActivity, version } from '../../define.ts';
import {
  codeRequest,
  codeSeconds,
  codeShape,
  contactMisfit,
  fitsContact,
  namelessEmailCustomization,
} from '../../shapes/messages.ts';
import { label } from '../../shapes/primitives.ts';

const params = z.strictObject({ ...codeRequest, ...codeShape }).refine(fitsContact, contactMisfit);

export const initOtpAuth = defineActivity({
  name: 'initOtpAuth',
  path: 'init_otp_auth',
  subject: 'sign-in',
  summary: 'Send a user a one-time code to sign in with',
  policy: { resource: 'AUTH', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_INIT_OTP_AUTH_V2',
  spec: 'types',
  parentMayAct: true,
  params,
  input: params.safeExtend({ expirationSeconds: codeSeconds }),
  intent: params,
  result: z.object({ otpId: z.string() }),
  resultKey: 'initOtpAuthResultV2',
  otherVersions: [
    version({
      type: 'ACTIVITY_TYPE_INIT_OTP_AUTH',
      params: z.strictObject(codeRequest).refine(fitsContact, contactMisfit),
      upgrade: (old) => old,
    }),
    version({
      type: 'ACTIVITY_TYPE_INIT_OTP_AUTH_V3',
      params: z
        .strictObject({
          ...codeRequest,
          ...codeShape,
          appName: label.describe('The name of the application in the email'),
          emailCustomization: namelessEmailCustomization.optional(),
          expirationSeconds: codeSeconds,
        })
        .refine(fitsContact, contactMisfit),
      upgrade: ({ appName, emailCustomization, ...rest }) => ({
        ...rest,
        emailCustomization: { ...emailCustomization, appName },
      }),
      resultKey: 'initOtpAuthResultV2',
    }),
  ],
});

import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { credentialBundle, targetPublicKey } from '../../shapes/bundles.ts';
import { otpCode } from '../../shapes/messages.ts';
import { flag, id, label, sessionSeconds } from '../../shapes/primitives.ts';

const params = z.strictObject({
  otpId: id,
  otpCode,
  targetPublicKey,
  apiKeyName: label.optional(),
  expirationSeconds: sessionSeconds,
  invalidateExisting: flag.describe('True revokes the user’s other keys of this kind'),
});

export const otpAuth = defineActivity({
  name: 'otpAuth',
  path: 'otp_auth',
  subject: 'sign-in',
  summary: 'Sign in with a one-time code. Returns an API key, encrypted to the caller',
  policy: { resource: 'AUTH', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_OTP_AUTH',
  spec: 'types',
  parentMayAct: true,
  params,
  intent: params,
  result: z.object({ userId: z.string(), apiKeyId: z.string(), credentialBundle }),
});

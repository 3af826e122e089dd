import { z } from 'zod';
import { defineActivity, version } from '../../define.ts';
import { sessionPublicKey } from '../../shapes/bundles.ts';
import { flag, id, sessionSeconds } from '../../shapes/primitives.ts';
import { clientSignature, verificationToken } from '../../shapes/verification.ts';

const params = z.strictObject({
  verificationToken,
  publicKey: sessionPublicKey,
  expirationSeconds: sessionSeconds,
  invalidateExisting: flag.describe('True ends the user’s other logins'),
  clientSignature: clientSignature.optional().describe('Required if the token names a key'),
  sessionProfileId: id.optional().meta({ default: '' }),
});

export const otpLogin = defineActivity({
  name: 'otpLogin',
  path: 'otp_login',
  subject: 'sign-in',
  summary: 'Log in with a verification token. The client provides the session key',
  policy: { resource: 'AUTH', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_OTP_LOGIN',
  spec: 'none',
  parentMayAct: true,
  params,
  intent: params,
  result: z.object({
    session: z
      .string()
      .describe('A token with the user and the end of the session. It does not authenticate requests: the key does'),
  }),
  otherVersions: [
    version({
      type: 'ACTIVITY_TYPE_OTP_LOGIN_V2',
      params: params.extend({ clientSignature }),
      upgrade: (same) => same,
    }),
  ],
});

import { z } from 'zod';
import { defineActivity, later } from '../../define.ts';
import { sessionPublicKey } from '../../shapes/bundles.ts';
import { id, seconds } from '../../shapes/primitives.ts';

/** The word of the holder of the key that a verification token names. */
const clientSignature = z.strictObject({
  publicKey: z.string().max(130),
  scheme: z.enum(['CLIENT_SIGNATURE_SCHEME_API_P256']),
  message: z.string().max(4096),
  signature: z.string().max(256),
});

const params = z.strictObject({
  verificationToken: z.string().min(1).max(4096),
  publicKey: sessionPublicKey,
  expirationSeconds: seconds.optional(),
  invalidateExisting: z.boolean().optional().describe('True ends the other logins that the user has'),
  clientSignature: clientSignature.optional().describe('Needed where the token names a key'),
  sessionProfileId: id.optional(),
});

export const otpLogin = defineActivity({
  name: 'otpLogin',
  path: 'otp_login',
  subject: 'sign-in',
  summary: 'Log in with a verification token and a key that the client made',
  policy: { resource: 'AUTH', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_OTP_LOGIN',
  parentMayAct: true,
  params,
  intent: params,
  result: z.object({
    session: z.string().describe('A token that says who is logged in and until when. It authenticates nothing: the key does'),
  }),
  later: [
    later({
      type: 'ACTIVITY_TYPE_OTP_LOGIN_V2',
      params: params.extend({ clientSignature }),
      upgrade: (same) => same,
    }),
  ],
});

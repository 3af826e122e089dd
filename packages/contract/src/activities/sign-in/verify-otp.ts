import { z } from 'zod';
import { defineActivity, version } from '../../define.ts';
import { policyMarks } from '../../policy-view/marks.ts';
import { secret } from '../../secrets.ts';
import { sessionPublicKey } from '../../shapes/bundles.ts';
import { defaults } from '../../shapes/defaults.ts';
import { otpCode } from '../../shapes/messages.ts';
import { id, seconds } from '../../shapes/primitives.ts';
import { encryptedOtpBundle } from '../../shapes/verification.ts';

const expirationSeconds = seconds
  .refine((text) => Number(text) <= 86_400, 'must be at most 86400')
  .optional()
  .meta({ default: defaults.verificationSeconds })
  .describe('Lifetime of the token in seconds: 3600 by default, at most 86400');

const publicKey = sessionPublicKey
  .optional()
  .register(policyMarks, { resolved: 'empty; no value if the key is inside an encrypted bundle' })
  .describe('A compressed P-256 public key. Only the holder of its private key can then use the token');

const params = z.strictObject({ otpId: id, otpCode, expirationSeconds, publicKey });

const encryptedParams = z.strictObject({ otpId: id, encryptedOtpBundle, expirationSeconds });

export const verifyOtp = defineActivity({
  name: 'verifyOtp',
  path: 'verify_otp',
  subject: 'sign-in',
  summary: 'Exchange a one-time code for a token that proves control of the contact',
  policy: { resource: 'OTP', action: 'VERIFY' },
  type: 'ACTIVITY_TYPE_VERIFY_OTP',
  spec: 'none',
  params,
  input: z.union([params, encryptedParams]),
  intent: params.extend({ otpCode: otpCode.optional(), encryptedOtpBundle: encryptedOtpBundle.optional() }),
  result: z.object({
    verificationToken: secret(z.string()).describe('The token'),
  }),
  otherVersions: [
    version({
      type: 'ACTIVITY_TYPE_VERIFY_OTP_V2',
      params: encryptedParams,
      upgrade: (encrypted) => encrypted,
    }),
  ],
});

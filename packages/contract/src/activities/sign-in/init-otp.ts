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

const fields = { ...codeRequest, ...codeShape, expirationSeconds: codeSeconds.optional() };

const params = z.strictObject(fields).refine(fitsContact, contactMisfit);

/** The later versions name the application beside the look of the mail, not within it. */
const namedParams = z
  .strictObject({
    ...fields,
    appName: label.describe('The name that the mail speaks of'),
    emailCustomization: namelessEmailCustomization.optional(),
  })
  .refine(fitsContact, contactMisfit);

function upgraded({ appName, emailCustomization, ...rest }: z.output<typeof namedParams>): z.output<typeof params> {
  return { ...rest, emailCustomization: { ...emailCustomization, appName } };
}

export const initOtp = defineActivity({
  name: 'initOtp',
  path: 'init_otp',
  subject: 'sign-in',
  summary: 'Send a one-time code to an e-mail address or a phone number, whoever has it',
  policy: { resource: 'OTP', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_INIT_OTP',
  spec: 'none',
  params,
  input: params.safeExtend({
    encrypted: z.literal(true).optional().describe('Asked for with the third version: the code comes back encrypted'),
  }),
  intent: params,
  result: z.object({
    otpId: z.string(),
    otpEncryptionTargetBundle: z
      .string()
      .optional()
      .describe(
        'Of ACTIVITY_TYPE_INIT_OTP_V3: the key to encrypt the code to, as JSON text of version, data, dataSignature and enclaveQuorumPublic, signed with the key `verificationTokenSigner` of this service',
      ),
  }),
  otherVersions: [
    version({ type: 'ACTIVITY_TYPE_INIT_OTP_V2', params: namedParams, upgrade: upgraded }),
    version({
      type: 'ACTIVITY_TYPE_INIT_OTP_V3',
      params: namedParams,
      upgrade: (named) => ({ ...upgraded(named), encrypted: true }),
      resultKey: 'initOtpResultV2',
    }),
  ],
});

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

const fields = { ...codeRequest, ...codeShape, expirationSeconds: codeSeconds };

const params = z.strictObject(fields).refine(fitsContact, contactMisfit);

/** Later versions have a separate field for the application's name. */
const namedParams = z
  .strictObject({
    ...fields,
    appName: label.describe('The name of the application in the email'),
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
  summary: 'Send a one-time code to any email address or phone number',
  policy: { resource: 'OTP', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_INIT_OTP',
  spec: 'none',
  params,
  input: params.safeExtend({
    encrypted: z
      .literal(true)
      .optional()
      .meta({ default: false })
      .describe('Set by version 3: the client sends the code back encrypted'),
  }),
  intent: params,
  result: z.object({
    otpId: z.string(),
    otpEncryptionTargetBundle: z
      .string()
      .optional()
      .describe(
        'Only for ACTIVITY_TYPE_INIT_OTP_V3: the public key to encrypt the code to. JSON text with version, data, dataSignature and enclaveQuorumPublic, signed by the service key `verificationTokenSigner`',
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

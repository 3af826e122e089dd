import { z } from 'zod';
import { defineActivity, later } from '../../define.ts';
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

/** What the executor works on: the current parameters, and whether the code is to come back encrypted, as the third version has it. */
export type InitOtpParams = z.output<typeof params> & { readonly encrypted?: true };

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
  params,
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
  later: [
    later({ type: 'ACTIVITY_TYPE_INIT_OTP_V2', params: namedParams, upgrade: upgraded }),
    later({
      type: 'ACTIVITY_TYPE_INIT_OTP_V3',
      params: namedParams,
      upgrade: (named): InitOtpParams => ({ ...upgraded(named), encrypted: true }),
      resultKey: 'initOtpResultV2',
    }),
  ],
});

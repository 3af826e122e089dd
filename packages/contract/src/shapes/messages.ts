import { z } from 'zod';
import { secret } from '../secrets.ts';
import { email, label, phoneNumber, seconds } from './primitives.ts';

/** Text that goes into a message: no control characters, which no mail client shows. Empty counts as absent. */
const plain = (max: number) =>
  z
    .string()
    .max(max, `must have at most ${max} characters`)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
    .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/u, 'must not contain control characters');

/** How a mail looks, where it should not look like the operator's own. */
export const emailCustomization = z
  .strictObject({
    appName: plain(256).optional().describe('The name that the mail speaks of'),
    logoUrl: plain(2048).optional().describe('An https address of an image; mail clients ask before they load it'),
    magicLinkTemplate: plain(2048).optional().describe('A link in which %s stands for the secret of the mail'),
    templateVariables: z
      .string()
      .max(16_384, 'must have at most 16384 characters')
      .optional()
      .describe('Values for a template of the operator, as the JSON text of an object of strings'),
    templateId: plain(128).optional().describe('The name of a template of the operator'),
  })
  .meta({ id: 'EmailCustomizationParams' });

/** As later versions ask for it: with the name. */
export const namedEmailCustomization = emailCustomization
  .required({ appName: true })
  .meta({ id: 'EmailAuthCustomizationParams' });

/** As later versions of requests for codes take it, which name the application elsewhere. */
export const namelessEmailCustomization = emailCustomization.omit({ appName: true }).meta({ id: 'EmailCustomizationParamsV2' });

export type EmailCustomization = z.output<typeof emailCustomization>;

/** What stands for the code in the text of a customized text message. */
export const SMS_CODE_PLACEHOLDER = '{{.OtpCode}}';

/** How a text message reads. */
export const smsCustomization = z
  .strictObject({
    template: plain(480)
      .refine((text) => text === '' || text.includes(SMS_CODE_PLACEHOLDER), `must contain ${SMS_CODE_PLACEHOLDER}`)
      .optional()
      .describe(`The text, in which ${SMS_CODE_PLACEHOLDER} stands for the code`),
  })
  .meta({ id: 'SmsCustomizationParams' });

/** Who a mail comes from, where that is not the operator. */
export const mailSender = {
  sendFromEmailAddress: email.optional().describe('The address that the mail comes from; one that the operator allows'),
  sendFromEmailSenderName: label.optional().describe('The name beside that address'),
  replyToEmailAddress: email.optional().describe('Where answers go'),
} as const;

export const otpTypes = ['OTP_TYPE_EMAIL', 'OTP_TYPE_SMS'] as const;

export type OtpType = (typeof otpTypes)[number];

/** What every request for a one-time code may say. */
export const codeRequest = {
  otpType: z.enum(otpTypes),
  contact: z.string().max(254, 'must have at most 254 characters').describe('An e-mail address, or a phone number in E.164 form'),
  emailCustomization: emailCustomization.optional(),
  smsCustomization: smsCustomization.optional(),
  userIdentifier: plain(256)
    .optional()
    .describe('Whoever wants the code, by an address or a fingerprint: the same one gets no more than three in three minutes'),
  ...mailSender,
} as const;

/** What a one-time code looks like. */
export const codeShape = {
  otpLength: z.int().min(6, 'must be from 6 to 9').max(9, 'must be from 6 to 9').optional().describe('9 by default'),
  alphanumeric: z.boolean().optional().describe('False for digits alone; true by default'),
} as const;

/** The lifetime of a one-time code. */
export const codeSeconds = seconds
  .refine((text) => Number(text) <= 600, 'must be at most 600')
  .describe('How long the code is good for: 300 by default, 600 at most');

/** Whether the contact is one of its type. */
export function fitsContact({ otpType, contact }: { readonly otpType: OtpType; readonly contact: string }): boolean {
  return (otpType === 'OTP_TYPE_EMAIL' ? email : phoneNumber).safeParse(contact).success;
}

export const contactMisfit = {
  message: 'must be an e-mail address for OTP_TYPE_EMAIL, and a phone number such as +15555550100 for OTP_TYPE_SMS',
  path: ['contact'],
};

/**
 * A one-time code as its receiver types it.
 * D33: nothing but ASCII letters and digits, so that no second spelling of a code exists which could count as another try.
 */
export const otpCode = secret(
  z.string().regex(/^[0-9A-Za-z]{6,9}$/, 'must be the code as it was sent: 6 to 9 letters or digits, no spaces'),
);

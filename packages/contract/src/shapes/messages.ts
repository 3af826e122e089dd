import { z } from 'zod';
import { contactValue } from '../contact-marks.ts';
import { partlyShownContact } from '../masks.ts';
import { policyMarks } from '../policy-view/marks.ts';
import { secret } from '../secrets.ts';
import { defaults } from './defaults.ts';
import { email, label, phoneNumber, seconds } from './primitives.ts';

/** Text in a message, without control characters. An empty text counts as absent. */
const plain = (max: number) =>
  z
    .string()
    .max(max, `must have at most ${max} characters`)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
    .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/u, 'must not contain control characters');

/** How a mail looks, if not like the operator's own. */
export const emailCustomization = z
  .strictObject({
    appName: plain(256).optional().describe('The name of the application in the email'),
    logoUrl: plain(2048).optional().describe('An https URL of an image. Mail clients may ask before they load it'),
    magicLinkTemplate: plain(2048).optional().describe('A link. %s is replaced by the secret in the email'),
    templateVariables: z
      .string()
      .max(16_384, 'must have at most 16384 characters')
      .optional()
      .describe('Values for the operator’s template: JSON text of an object with text values'),
    templateId: plain(128).optional().describe('The name of one of the operator’s templates'),
  })
  .meta({ id: 'EmailCustomizationParams' });

/** As later versions take it: the name is required. */
export const namedEmailCustomization = emailCustomization
  .required({ appName: true })
  .meta({ id: 'EmailAuthCustomizationParams' });

/** For later versions of requests for codes, which have a separate field for the name. */
export const namelessEmailCustomization = emailCustomization.omit({ appName: true }).meta({ id: 'EmailCustomizationParamsV2' });

/** How a mail looks, if not like the operator's own. */
export type EmailCustomization = z.output<typeof emailCustomization>;

/** The placeholder for the code in a custom text message. */
export const SMS_CODE_PLACEHOLDER = '{{.OtpCode}}';

/** The wording of a text message. */
export const smsCustomization = z
  .strictObject({
    template: plain(480)
      .refine((text) => text === '' || text.includes(SMS_CODE_PLACEHOLDER), `must contain ${SMS_CODE_PLACEHOLDER}`)
      .optional()
      .describe(`The text, in which ${SMS_CODE_PLACEHOLDER} stands for the code`),
  })
  .meta({ id: 'SmsCustomizationParams' });

/** The sender of a mail, if not the operator. */
export const mailSender = {
  sendFromEmailAddress: email.optional().describe('The sender’s address. The operator must allow it'),
  sendFromEmailSenderName: label.optional().describe('The sender’s name'),
  replyToEmailAddress: email.optional().describe('The address for replies'),
} as const;

/** The ways to send a one-time code. */
export const otpTypes = ['OTP_TYPE_EMAIL', 'OTP_TYPE_SMS'] as const;

/** A way to send a one-time code. */
export type OtpType = (typeof otpTypes)[number];

/** The fields of every request for a one-time code. */
export const codeRequest = {
  otpType: z.enum(otpTypes),
  contact: partlyShownContact(
    contactValue(z.string().max(254, 'must have at most 254 characters'))
      .register(policyMarks, { form: 'caseless' })
      .describe('An email address, or a phone number in E.164 form. Queries show a part of it'),
  ),
  emailCustomization: emailCustomization.optional(),
  smsCustomization: smsCustomization.optional(),
  userIdentifier: plain(256)
    .optional()
    .describe(
      'Identifies the requester, for example by IP address or device. Limits on codes and on wrong attempts then apply to each requester: at most three codes in three minutes',
    ),
  ...mailSender,
} as const;

/** The form of a one-time code. */
export const codeShape = {
  otpLength: z
    .int()
    .min(6, 'must be from 6 to 9')
    .max(9, 'must be from 6 to 9')
    .optional()
    .meta({ default: defaults.codeLength })
    .describe('The number of characters. 9 by default'),
  alphanumeric: z
    .boolean()
    .optional()
    .meta({ default: defaults.alphanumericCode })
    .describe('False for digits only. True by default'),
} as const;

/** The lifetime of a one-time code. */
export const codeSeconds = seconds
  .refine((text) => Number(text) >= 60 && Number(text) <= 600, 'must be from 60 to 600')
  .optional()
  .meta({ default: defaults.codeSeconds })
  .describe('Lifetime of the code in seconds: 300 by default, at least 60, at most 600');

/** Whether the contact fits its type. */
export function fitsContact({ otpType, contact }: { readonly otpType: OtpType; readonly contact: string }): boolean {
  return (otpType === 'OTP_TYPE_EMAIL' ? email : phoneNumber).safeParse(contact).success;
}

/** The refusal of a contact that does not fit its type. */
export const contactMisfit = {
  message: 'must be an email address for OTP_TYPE_EMAIL, and a phone number such as +15555550100 for OTP_TYPE_SMS',
  path: ['contact'],
};

/**
 * A one-time code as the user types it.
 * D33: Only ASCII letters and digits. A second spelling of the same code could count as another attempt.
 */
export const otpCode = secret(
  z.string().regex(/^[0-9A-Za-z]{6,9}$/, 'must be the code as it was sent: 6 to 9 letters or digits, no spaces'),
);

import { z } from 'zod';

/** A name that people give and read: 1 to 256 characters, no control characters, not blank. */
export const label = z
  .string()
  .min(1, 'must not be empty')
  .max(256, 'must have at most 256 characters')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/u, 'must not contain control characters')
  .refine((text) => text.trim() !== '', 'must not be blank');

/** An identifier of any object. Its form is not checked: an unknown id, a foreign id and a malformed one get the same answer. */
export const id = z.string().min(1, 'must not be empty').max(128, 'must have at most 128 characters');

export const organizationId = z.uuid('must be a UUID').describe('The organization on whose behalf the request is made');

/** Free text, such as notes. */
export const text = z.string().max(16_384, 'must have at most 16384 characters');

export const email = z.email('must be an e-mail address').max(254, 'must have at most 254 characters');

export const phoneNumber = z
  .string()
  .regex(/^\+[1-9]\d{6,14}$/, 'must be a phone number in E.164 form, for example +15555550100');

/** A period in whole seconds, as 64-bit integers travel in JSON. */
export const seconds = z.string().regex(/^[1-9]\d{0,8}$/, 'must be a whole number of seconds from 1 to 999999999, as a string');

/** A point in time as records show it. */
export const timestamp = z.object({ seconds: z.string(), nanos: z.string() }).meta({ id: 'Timestamp' });

/** Names, ids or values as a list with no more than a thousand members. */
export const idList = z.array(id).min(1, 'must not be empty').max(1000, 'must have at most 1000 items');

export const paginationOptions = z
  .strictObject({
    limit: z
      .string()
      .regex(/^([1-9]\d?|100)$/, 'must be a whole number from 1 to 100, as a string')
      .optional()
      .describe('How many items to return, 1 to 100; 10 by default'),
    before: id.optional().describe('Only items older than the one with this id'),
    after: id.optional().describe('Only items newer than the one with this id'),
  })
  .refine((page) => page.before === undefined || page.after === undefined, 'takes before or after, not both')
  .meta({ id: 'PaginationOptions' });

/** Names an activity by the hash of the body that submitted it. */
export const fingerprint = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256: and 64 lower-case hexadecimal digits');

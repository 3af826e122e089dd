import { z } from 'zod';
import { contactValue } from '../contact-marks.ts';
import { policyMarks } from '../policy-view/marks.ts';
import { defaults } from './defaults.ts';

/** A name for people: 1 to 256 characters, no control characters, not blank. */
export const label = z
  .string()
  .min(1, 'must not be empty')
  .max(256, 'must have at most 256 characters')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/u, 'must not contain control characters')
  .refine((text) => text.trim() !== '', 'must not be blank');

/** The id of any object. Its form is not checked, so unknown, foreign and malformed ids get the same answer. */
export const id = z
  .string()
  .min(1, 'must not be empty')
  .max(128, 'must have at most 128 characters')
  .register(policyMarks, { identifies: true });

/** The id of an organization. */
export const organizationId = z.uuid('must be a UUID').describe('The organization of the request');

/** Free text, such as notes. */
export const text = z.string().max(16_384, 'must have at most 16384 characters');

/** An e-mail address. */
export const email = contactValue(z.email('must be an email address').max(254, 'must have at most 254 characters'));

/** A phone number in E.164 form. */
export const phoneNumber = contactValue(
  z.string().regex(/^\+[1-9]\d{6,14}$/, 'must be a phone number in E.164 form, for example +15555550100'),
);

/** A duration in whole seconds, as text: 64-bit integers are text in this JSON. */
export const seconds = z.string().regex(/^[1-9]\d{0,8}$/, 'must be a whole number of seconds from 1 to 999999999, as a string');

/** The lifetime of a session or of a mailed key. A session profile and the organization's limits may change what is asked for. */
export const sessionSeconds = seconds.optional().register(policyMarks, {
  resolved: `the lifetime in the session profile, otherwise ${defaults.sessionSeconds}, within the limits`,
  seenAs: 'the resulting lifetime',
});

/** A point in time, as requests name it. */
export const milliseconds = z.string().regex(/^\d{1,15}$/, 'must be a time in milliseconds since 1970, as a string');

/** A flag that is off unless the request turns it on. */
export const flag = z.boolean().optional().meta({ default: false });

/** A point in time, as records show it. */
export const timestamp = z.object({ seconds: z.string(), nanos: z.string() }).meta({ id: 'Timestamp' });

/** One to a thousand ids. */
export const idList = z.array(id).min(1, 'must not be empty').max(1000, 'must have at most 1000 items');

/** The id of an item of a list. Any other text sorts before or after all items, and would return the wrong page. */
const cursor = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/, 'must be the id of an item of the list')
  .optional();

/** Which part of a list to return. */
export const paginationOptions = z
  .strictObject({
    limit: z
      .string()
      .regex(/^([1-9]\d?|100)$/, 'must be a whole number from 1 to 100, as a string')
      .optional()
      .describe('The number of items to return, 1 to 100. 10 by default'),
    before: cursor.describe('Only the items directly before the one with this id, in the order of the list'),
    after: cursor.describe('Only items that follow the one with this id. Use the last item of a page to get the next page'),
  })
  .meta({ id: 'PaginationOptions' });

/** Where a page lies in its list. The cursors are the ids of its first and last item. */
export const pageInfo = z
  .object({
    hasNextPage: z.boolean(),
    hasPreviousPage: z.boolean(),
    startCursor: z.string().optional(),
    endCursor: z.string().optional(),
  })
  .meta({ id: 'PageInfo' });

/** The most characters of a list that is asked for without pagination. */
export const MAX_UNPAGED_CHARACTERS = 8_388_608;
/** The most characters of an item of a list. A longer one is shortened. */
export const MAX_ITEM_CHARACTERS = 32_768;

/** Says that a list shows an item without its longest fields. */
export const shortened = z
  .object({
    fields: z.array(z.string()).describe('The fields that are empty or absent because they are long'),
    query: z.string().describe('The query that returns the whole item'),
  })
  .optional()
  .describe(`Only in lists, on an item of more than ${MAX_ITEM_CHARACTERS.toLocaleString('en')} characters`)
  .meta({ id: 'Shortened' });

/** For lists that are given whole, oldest first, unless a page of them is asked for. */
export const listPagination = paginationOptions
  .optional()
  .describe(
    `Gives one page of the list, newest first. Without it the list is given whole, oldest first, if it has at most ${MAX_UNPAGED_CHARACTERS.toLocaleString('en')} characters; a longer one is rejected`,
  );

/** Limits a list to items that people would recognize by a text. */
export const matching = z
  .string()
  .min(1, 'must not be empty')
  .max(200, 'must have at most 200 characters')
  .optional()
  .describe(
    'Only items with this text in a name or an address, or with this id; users also by the name of a tag. Send paginationOptions with it',
  );

/** Where a search of a long list continues. */
export const nextMatching = z
  .string()
  .optional()
  .describe(
    'Only with `matching`: older items were not searched yet, and this page is not full. Continue with this id as `after`. A response searches at most 5,000 items',
  );

/** Names an activity by the hash of the body that submitted it. */
export const fingerprint = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256: and 64 lower-case hexadecimal digits');

import { z } from 'zod';

/** A count or a place, as text: 64-bit integers are text in this JSON. */
export const logNumber = z.string().regex(/^(0|[1-9]\d{0,15})$/, 'must be a whole number, as a string');

/** A leaf of the installation's log with what it takes to check it. */
export const logLeaf = z
  .object({
    leafIndex: logNumber.describe('The index of the leaf in the log, from 0'),
    opening: z.string().describe('The content of the leaf: canonical JSON, byte for byte'),
    salt: z
      .string()
      .describe(
        '32 bytes in hexadecimal. The data of the leaf is the version of the opening (01 or 02), then SHA-256 over the salt and the opening',
      ),
  })
  .meta({ id: 'LogLeaf' });

/** A signed note with the size and the root of the log. */
export const logCheckpoint = z
  .string()
  .describe('The signed checkpoint (C2SP tlog-checkpoint). /log/key has the key: save it on the first day');

/** Which leaves of an organization a list begins with, and how many it has. */
export const leafRange = {
  from: z
    .string()
    .regex(/^[1-9]\d{0,15}$/, 'must be a whole number from 1, as a string')
    .optional()
    .describe('The number of the first leaf to return. 1, the oldest, by default'),
  limit: z
    .string()
    .regex(/^([1-9]\d{0,2}|1000)$/, 'must be a whole number from 1 to 1000, as a string')
    .optional()
    .describe('How many leaves to return, 1 to 1000. 100 by default'),
};

/** How long a request for the next leaf waits. */
export const waitSeconds = z
  .string()
  .regex(/^(\d|1\d|2[0-5])$/, 'must be a whole number from 0 to 25, as a string')
  .optional();

import { z } from 'zod';

/** Makes requests idempotent. */
export const reference = z
  .string()
  .regex(/^[\x21-\x7e][\x20-\x7e]{0,127}$/, 'must be 1 to 128 printable ASCII characters')
  .describe(
    'Your name for this one request, for example the number of an invoice. Repeat a call with the same reference after a timeout: it is executed once. A new reference is a new request',
  );

/** The reference that the service stores with the stamped request. `reference` above stays with the agent. */
export const purpose = z
  .string()
  .min(1)
  .max(140, 'must have at most 140 characters')
  .optional()
  .describe(
    'What the payment is for, for example "Invoice INV-2041". One line that approvers read as your words. Stamped, and never changed',
  );

export const activityId = z.string().regex(/^[0-9a-f-]{36}$/, 'must be the id of an activity');

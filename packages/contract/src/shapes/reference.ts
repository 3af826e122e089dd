import { z } from 'zod';
import { MAX_REFERENCE, referenceProblem } from '../reference-text.ts';

/** The reference of a request: an invoice number, or a purpose. The requester stamps it. */
export const requestReference = z
  .string()
  .max(MAX_REFERENCE, `must have at most ${MAX_REFERENCE} characters`)
  .superRefine((text, context) => {
    const message = referenceProblem(text);
    if (message !== undefined && text.length <= MAX_REFERENCE) context.addIssue({ code: 'custom', message });
  })
  .describe(
    'The requester’s own words about the request, such as an invoice number. Stamped, and shown to everyone who reads the activity',
  );

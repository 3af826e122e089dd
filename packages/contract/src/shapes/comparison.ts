import { z } from 'zod';

/** One difference between the state of an organization and what a request makes of it. */
const comparedChange = z
  .object({
    action: z.enum(['CREATE', 'UPDATE', 'DELETE']),
    subject: z
      .object({
        kind: z.string().describe('The kind of the object, for example POLICY'),
        id: z.string().optional().describe('Absent for an object that the request creates'),
        name: z.string().optional().describe('The name that the object has before the request, or that it is created with'),
      })
      .describe('The object that changes'),
    field: z.string().describe('What changes about it'),
    before: z.string().nullable().describe('In words. Text that users wrote is in quotation marks. Null for nothing'),
    after: z.string().nullable().describe('The same, after the request'),
    text: z.string().describe('All of this in one sentence'),
  })
  .meta({ id: 'ComparedChange' });

/** What a request changes, compared with the state before it. */
export const comparison = z
  .object({
    changes: z.array(comparedChange).describe('Empty if everything stays as it is'),
    omitted: z
      .int()
      .optional()
      .describe('The number of changes that are not listed, up to 1000. The parameters contain all of them'),
    withheld: z.boolean().optional().describe('Reading is restricted, and no policy lets the caller read what changes'),
  })
  .meta({ id: 'Comparison' });

/** One difference between the state of an organization and what a request makes of it. */
export type ComparedChangeShape = z.output<typeof comparedChange>;

/** What a request changes, compared with the state before it. */
export type ComparisonShape = z.output<typeof comparison>;

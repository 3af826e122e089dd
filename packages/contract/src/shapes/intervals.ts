import { z } from 'zod';
import { milliseconds } from './primitives.ts';

/** Which hours or days a query about the past covers. */
export const intervals = {
  interval: z.enum(['HOUR', 'DAY']).describe('The length of an interval. Days are those of UTC'),
  since: milliseconds.describe('From the interval that contains this time. At most 31 days of hours, or 400 days, ago'),
  until: milliseconds.optional().describe('Up to the interval that contains this time. Now by default'),
};

/** When an interval begins. */
export const startMs = z.string().describe('When the interval begins, in milliseconds since 1970');

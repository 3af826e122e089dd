import type { ActivityVersion } from '@countersign/contract';
import type { z } from 'zod';
import { validate } from './validate.ts';
import { withoutNulls } from './without-nulls.ts';

/**
 * The parameters of an activity in their current form. `schema` is what the caller's path takes of this version.
 * Throws REQUEST_INVALID that names every wrong field.
 */
export function readParameters(version: ActivityVersion, schema: z.ZodType, parameters: unknown): unknown {
  return version.upgrade(validate(schema, withoutNulls(parameters)) as never);
}

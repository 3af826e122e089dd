import { CountersignError } from './errors.ts';
import type { Submitted } from './types.ts';

/** The result of a completed activity. Throws CountersignError `ACTIVITY_NOT_COMPLETED` otherwise. */
export function completed<Result>({ activity, result }: Submitted<unknown, Result>): Result {
  if (result !== undefined) return result;
  const message = `Activity ${activity.id} is not complete: its status is ${activity.status}.`;
  throw new CountersignError(200, 'ACTIVITY_NOT_COMPLETED', message);
}

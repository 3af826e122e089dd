import { CountersignError } from '@countersign/client';
import { NotFoundError, UnavailableError, UsageError } from './errors.ts';

/** The exit code of each kind of failure, so that scripts need not read messages. */
export const exitCodes = { failed: 1, usage: 2, denied: 3, unavailable: 4, notFound: 5 } as const;

/** The exit codes, for `--help`. */
export const describeExitCodes =
  '0 done, 1 failed, 2 wrong flags or parameters, 3 denied by the service (stamp, policy), 4 the service is unreachable or busy, 5 not found';

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return exitCodes.usage;
  if (error instanceof NotFoundError) return exitCodes.notFound;
  if (error instanceof UnavailableError) return exitCodes.unavailable;
  if (!(error instanceof CountersignError)) return exitCodes.failed;
  const { status, code } = error;
  if (code === 'UNREACHABLE' || status === 503 || status === 429) return exitCodes.unavailable;
  if (status === 400) return exitCodes.usage;
  if (status === 401 || status === 403) return exitCodes.denied;
  if (status === 404) return exitCodes.notFound;
  return exitCodes.failed;
}

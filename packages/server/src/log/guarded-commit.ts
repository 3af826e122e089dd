import { ServiceError } from '@countersign/contract';
import type { ServiceClock } from '../installation/clock/service-clock.ts';
import type { Fence } from '../installation/epoch/fence.ts';
import type { Store } from '../store/store.ts';
import { DatabaseBehind, StoreUnavailable } from '../store/store-errors.ts';
import type { InstallationLog } from './installation-log.ts';
import { type LogError, WitnessAbsent } from './log-error.ts';
import { type UnloggedCommits, UnloggedError } from './unlogged-commits.ts';

export interface GuardServices {
  readonly clock: Pick<ServiceClock, 'settled'>;
  readonly fence: Pick<Fence, 'commit'>;
  readonly log: Pick<InstallationLog, 'error'>;
  readonly unlogged: Pick<UnloggedCommits, 'begin' | 'end'>;
}

/**
 * INVARIANT: a commit depends only on times that no restart can repeat, and belongs to this server's epoch.
 * INVARIANT: no commit is made if the database is behind, or differs from, the state that this process has seen.
 */
export function createGuardedCommit({ clock, fence, log, unlogged }: GuardServices): Pick<Store, 'commit'> {
  return {
    async commit(batch) {
      await clock.settled();
      const error = log.error();
      if (error !== undefined) throw suspended(error);
      unlogged.begin(batch);
      const outcomes = await fence.commit(batch).catch((error: unknown) => {
        unlogged.end(batch);
        throw isLoss(error, log.error()) ? lossNoticed(error) : error;
      });
      unlogged.end(batch, outcomes);
      return outcomes;
    },
  };
}

/** Whether a commit failed because the database lost commits, or after that was found out. */
function isLoss(error: unknown, logError: LogError | undefined): boolean {
  // A database that does not respond leaves commits without a leaf, and a witness may be silent. Neither is a loss.
  const isKnown = logError !== undefined && !(logError instanceof UnloggedError || logError instanceof WitnessAbsent);
  return error instanceof DatabaseBehind || (error instanceof StoreUnavailable && isKnown);
}

/**
 * INVARIANT: no text advises to repeat a request while the operator may accept a loss. The same body is rejected after that, and the same
 * request with a new stamp may be executed twice.
 */
export function lossNoticed(cause: unknown): ServiceError {
  return new ServiceError(
    'UNAVAILABLE',
    'Requests are suspended: the database does not match the state that this server last saw. This request may have been executed. Ask the operator before you send it again.',
    { cause },
  );
}

/** SECURITY: callers learn that requests are suspended. The cause is only for the operator. */
function suspended(error: LogError): ServiceError {
  return new ServiceError(
    'UNAVAILABLE',
    `Requests are suspended: ${reasonOf(error)}. The operator can find the cause in the log of the server and with countersign doctor.`,
  );
}

function reasonOf(error: LogError): string {
  if (error instanceof WitnessAbsent) return 'no witness has confirmed the log of this installation recently';
  if (error instanceof UnloggedError) return 'executed activities have not reached the log of this installation';
  return 'the database does not match the state that this server or a witness last saw';
}

import { randomUUID } from 'node:crypto';
import { ServiceError } from '@countersign/contract';
import type { Logger } from 'pino';
import { lossNoticed } from '../../log/guarded-commit.ts';
import { DatabaseBehind, StoreUnavailable } from '../../store/store-errors.ts';
import { RootKeyUnavailable } from '../../vault/errors.ts';

/** Returns an expected failure unchanged. Anything else is a bug: it is logged under an id, and the caller gets only the id. */
export function expectedError(error: unknown, log: Pick<Logger, 'error'>): ServiceError {
  if (error instanceof ServiceError) {
    if (error.code === 'INTERNAL' || error.code === 'UNAVAILABLE') log.error({ err: error.cause ?? error }, error.message);
    return error;
  }
  if (error instanceof DatabaseBehind) {
    log.error({ err: error }, error.message);
    return lossNoticed(error);
  }
  if (error instanceof StoreUnavailable) {
    log.error({ err: error }, 'the database does not respond');
    return new ServiceError(
      'UNAVAILABLE',
      'The database does not respond. Send the same request again: it is executed at most once.',
    );
  }
  if (error instanceof RootKeyUnavailable) {
    log.error({ err: error }, 'the root key is not available');
    return new ServiceError(
      'UNAVAILABLE',
      'The root key is not available. Nothing was executed. Send the same request again later.',
    );
  }
  const id = randomUUID();
  log.error({ err: error, id }, 'unexpected failure');
  return new ServiceError(
    'INTERNAL',
    `internal server error (${id}). Nothing was acknowledged. The operator can find the cause in the log under this id.`,
  );
}

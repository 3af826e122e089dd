import { OperatorError } from '@countersign/contract';

/** The database is unusable until an operator fixes it. */
export class StoreError extends OperatorError {
  override readonly name = 'StoreError';
}

/** The database has no tables: no service has started on it, or its content was lost. */
export class EmptyDatabaseError extends StoreError {
  constructor() {
    super(
      'The database is empty: no service has started on it.',
      "Check --data-dir and --database-url. 'countersign serve' creates a new installation, and 'countersign restore' restores a backup.",
    );
  }
}

/** The database is not the one that the caller expects: it was restored, or it is another copy. */
export class StoreFenced extends Error {
  override readonly name = 'StoreFenced';
}

/** The database does not respond, is locked for too long or cannot write now. A later retry may succeed. */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable';
  /** True if the transaction may have been stored. Look up the fingerprints before a retry. */
  readonly outcomeUnknown: boolean;

  constructor(message: string, options: ErrorOptions & { readonly outcomeUnknown: boolean }) {
    super(message, options);
    this.outcomeUnknown = options.outcomeUnknown;
  }
}

/** A new connection reached a database that lacks commits this process has seen: a standby took over, or an old copy was started. */
export class DatabaseBehind extends StoreUnavailable {
  override readonly name: string = 'DatabaseBehind';

  /** `proof` describes the evidence. */
  constructor(proof: string) {
    super(`the database was rolled back or lost commits: ${proof}`, { outcomeUnknown: false });
  }
}

import type Database from 'better-sqlite3';
import { toRunError } from './errors.ts';

/** Runs synchronous work in one durable write transaction. */
export type Transaction = <T>(work: () => T) => T;

/**
 * INVARIANT: BEGIN IMMEDIATE acquires the write lock, so no other process can change what the transaction reads.
 * An error in `work` rolls everything back. An error of COMMIT itself is `StoreUnavailable` with an unknown outcome: frames may have
 * reached the log before the failure, and a crash would bring them back.
 */
export function createTransaction(db: Database.Database): Transaction {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  return (work) => {
    begin.run();
    try {
      const result = work();
      try {
        commit.run();
      } catch (error) {
        throw toRunError(error, true);
      }
      return result;
    } finally {
      if (db.inTransaction) rollback.run();
    }
  };
}

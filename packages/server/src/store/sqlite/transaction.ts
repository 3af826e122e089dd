import { setTimeout as sleep } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { isBusy, toRunError } from './errors.ts';

/** How long the engine itself waits for a lock. Short, because waiting blocks the event loop. */
export const engineWaitMs = 5;

/**
 * Retries a synchronous attempt while another connection holds a lock, and yields to the event loop in between.
 * Throws the last busy error after `waitMs`.
 */
export async function whenFree<T>(waitMs: number, attempt: () => T): Promise<T> {
  let deadline: number | undefined;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
      const nowMs = performance.now();
      deadline ??= nowMs + waitMs;
      if (nowMs >= deadline) throw error;
    }
    // A random pause keeps two processes from colliding again.
    await sleep(1 + Math.random() * 4);
  }
}

/** Runs synchronous work when no other process holds a lock. Converts errors with `toRunError`. */
export async function run<T>(waitMs: number, work: () => T): Promise<T> {
  try {
    return await whenFree(waitMs, work);
  } catch (error) {
    throw toRunError(error, false);
  }
}

/** Runs synchronous work in one durable write transaction. */
type Transaction = <T>(work: () => T) => T;

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

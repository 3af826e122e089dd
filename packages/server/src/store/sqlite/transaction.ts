import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from './driver.ts';
import { isBusy, toRunError } from './errors.ts';

/** How long the engine itself waits for a lock. Short, because waiting blocks the event loop. */
export const engineWaitMs = 5;

/** How many operations of each connection wait for a lock. */
const waiting = new WeakMap<Database, number>();

/**
 * Retries a synchronous attempt while another connection holds a lock, and yields to the event loop in between.
 * Throws the last busy error after `waitMs`.
 */
export async function whenFree<T>(db: Database, waitMs: number, attempt: () => T): Promise<T> {
  try {
    return attempt();
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
  countWaiting(db, 1);
  try {
    return await retry(waitMs, attempt);
  } finally {
    countWaiting(db, -1);
  }
}

async function retry<T>(waitMs: number, attempt: () => T): Promise<T> {
  const start = performance.now();
  for (;;) {
    const waitedMs = performance.now() - start;
    // A random pause keeps two processes from colliding again. It grows, because a lock that was held for long is not free soon.
    await sleep(1 + Math.random() * Math.min(4 + waitedMs / 20, 30));
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() - start >= waitMs) throw error;
    }
  }
}

/**
 * SECURITY: D267: the engine does not wait while an operation of the connection waits here. If many operations each blocked the event
 * loop for a few milliseconds, a lock that another process holds for seconds would stop this one too.
 */
function countWaiting(db: Database, change: 1 | -1): void {
  const before = waiting.get(db) ?? 0;
  waiting.set(db, before + change);
  if (!db.isOpen || (before !== 0 && before + change !== 0)) return;
  // SQLite sets the timeout when it compiles the statement, so a prepared one would do nothing.
  db.exec(`PRAGMA busy_timeout = ${before === 0 ? 0 : engineWaitMs}`);
}

/** Runs synchronous work when no other process holds a lock. Converts errors with `toRunError`. */
export async function run<T>(db: Database, waitMs: number, work: () => T): Promise<T> {
  try {
    return await whenFree(db, waitMs, work);
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
export function createTransaction(db: Database): Transaction {
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
      if (db.isTransaction) rollback.run();
    }
  };
}

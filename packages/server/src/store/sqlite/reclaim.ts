import type { Store } from '../store.ts';
import type { Database } from './driver.ts';

/** `PRAGMA auto_vacuum`, see https://www.sqlite.org/pragma.html#pragma_auto_vacuum */
const INCREMENTAL = 2;

/** Pages per transaction: few enough not to delay commits of the service. */
const STEP_PAGES = 256;

/**
 * Lets the file shrink in steps later. Takes effect in an empty file, before the first page is written. A file of an earlier release gets
 * this property when it is rebuilt on this connection.
 */
export function allowReclaim(db: Database): void {
  // SQLite writes to a file that has the property already, too.
  if (Number(db.pragma('auto_vacuum')) !== INCREMENTAL) db.pragma('auto_vacuum = INCREMENTAL');
}

/** See `Store.archive`. */
export function createReclaim(db: Database, run: <T>(work: () => T) => Promise<T>): Store['archive']['reclaim'] {
  const isIncremental = () => run(() => db.pragma('auto_vacuum') === INCREMENTAL);
  const step = () =>
    run(() => {
      // Not through a prepared statement: each of its steps frees one page only.
      db.exec(`PRAGMA incremental_vacuum(${STEP_PAGES})`);
      return Number(db.pragma('freelist_count'));
    });
  return async (isAlone) => {
    if (await isIncremental())
      for (let free = Number.POSITIVE_INFINITY, left = await step(); left < free; left = await step()) free = left;
    else if (isAlone) await run(() => db.exec('VACUUM'));
    else return false;
    // The file shrinks when the write-ahead log is copied into it. If another process reads, its next checkpoint does that.
    await run(() => db.pragma('wal_checkpoint(TRUNCATE)'));
    return true;
  };
}

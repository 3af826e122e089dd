import Database from 'better-sqlite3';
import { type HoldMode, type Release, StoreFault } from '../store.ts';
import { isBusy, toOpenFault } from './faults.ts';

/**
 * Takes a lock on a file beside the database and keeps it by an open transaction. The operating system drops it with the
 * process, however that ends, so nothing stale can stay behind. The file stays empty.
 */
export function hold(file: string, mode: HoldMode): Release {
  const lockFile = `${file}.lock`;
  let db: Database.Database;
  try {
    db = new Database(lockFile, { timeout: 0 });
  } catch (error) {
    throw toOpenFault(error, lockFile);
  }
  try {
    if (mode === 'exclusive') {
      db.exec('BEGIN EXCLUSIVE');
    } else {
      // A transaction takes its shared lock with its first read.
      db.exec('BEGIN');
      db.prepare('SELECT count(*) FROM sqlite_schema').get();
    }
  } catch (error) {
    db.close();
    if (!isBusy(error)) throw toOpenFault(error, lockFile);
    throw mode === 'exclusive'
      ? new StoreFault(`a server is using ${file}`, 'Stop every server on this data directory, then try again.')
      : new StoreFault(`maintenance is under way on ${file}`, 'Wait until it has finished, then start again.');
  }
  return async () => {
    if (db.open) db.close();
  };
}

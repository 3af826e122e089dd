import { closeSync, openSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { StoreFault } from '../store.ts';
import { engineWaitMs, whenFree } from './busy.ts';

/** Marks a file as ours: "CSGN" as a big-endian number, see https://www.sqlite.org/pragma.html#pragma_application_id */
export const applicationId = 0x4353474e;

/** Opens or creates the file, and refuses a foreign file before changing anything in it. */
export async function connect(file: string, waitMs: number): Promise<Database.Database> {
  createPrivately(file);
  const db = new Database(file, { timeout: engineWaitMs });
  try {
    await whenFree(waitMs, () => refuseForeign(db, file));
    await whenFree(waitMs, () => configure(db, file));
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** SECURITY: only the owner can read the file. SQLite gives the -wal and -shm files beside it the same mode. */
function createPrivately(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw Object.assign(new Error('is a directory'), { code: 'EISDIR' });
  }
  closeSync(openSync(file, 'a', 0o600));
}

function refuseForeign(db: Database.Database, file: string): void {
  const id = db.pragma('application_id', { simple: true });
  const tables = db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get();
  if (id === applicationId || (id === 0 && tables === 0)) return;
  throw new StoreFault(`${file} is the database of another program`, 'Name another file, or move this one away.');
}

function configure(db: Database.Database, file: string): void {
  if (db.pragma('journal_mode = WAL', { simple: true }) !== 'wal') {
    const fix = 'Keep the data directory on a local disk: the write-ahead log needs shared memory, which network shares lack.';
    throw new StoreFault(`${file} cannot be switched to write-ahead logging`, fix);
  }
  // better-sqlite3 falls back to NORMAL for a file that is already in WAL mode, and NORMAL loses acknowledged commits.
  db.pragma('synchronous = FULL');
  // On macOS, fsync alone leaves data in the drive's cache. Elsewhere these do nothing.
  db.pragma('fullfsync = ON');
  db.pragma('checkpoint_fullfsync = ON');
  // REPLACE fires the triggers that protect terminal activities only with this setting.
  db.pragma('recursive_triggers = ON');
  db.pragma('trusted_schema = OFF');
  db.pragma('cell_size_check = ON');
  db.pragma('journal_size_limit = 67108864');
  if (!isDurable(db)) {
    throw new StoreFault(
      `SQLite does not keep synchronous=FULL for ${file}`,
      'Run the version of better-sqlite3 that this release pins.',
    );
  }
}

/** Whether every acknowledged commit is on disk, read back from the engine. */
export function isDurable(db: Database.Database): boolean {
  return db.pragma('synchronous', { simple: true }) === 2 && db.pragma('journal_mode', { simple: true }) === 'wal';
}

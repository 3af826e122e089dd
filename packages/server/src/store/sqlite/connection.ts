import { closeSync, openSync, statSync } from 'node:fs';
import { StoreError } from '../store-errors.ts';
import { type Database, openDatabase } from './driver.ts';
import { acceptLostWal, requireWholeWal } from './lost-wal.ts';
import { allowReclaim } from './reclaim.ts';
import { engineWaitMs, whenFree } from './transaction.ts';

/** Marks a file as ours: "CSGN" as a big-endian number, see https://www.sqlite.org/pragma.html#pragma_application_id */
export const applicationId = 0x4353474e;

export interface ConnectOptions {
  readonly waitMs: number;
  readonly acceptLostWal: boolean;
  /** Throws if the file must not be used. Runs before anything in it changes. */
  check(db: Database): void;
}

/** Opens or creates the file. Rejects a file of another program before changing anything in it. */
export async function connect(file: string, { waitMs, check, ...options }: ConnectOptions): Promise<Database> {
  createPrivately(file);
  if (options.acceptLostWal) acceptLostWal(file);
  else requireWholeWal(file);
  const db = openDatabase(file, { timeout: engineWaitMs });
  try {
    await whenFree(db, waitMs, () => refuseForeign(db, file));
    await whenFree(db, waitMs, () => check(db));
    await whenFree(db, waitMs, () => configure(db, file));
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** SECURITY: only the owner can read the file. SQLite creates its -wal and -shm files with the same mode. */
function createPrivately(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw Object.assign(new Error('is a directory'), { code: 'EISDIR' });
  }
  closeSync(openSync(file, 'a', 0o600));
}

function refuseForeign(db: Database, file: string): void {
  const id = db.pragma('application_id');
  const tables = db.prepare('SELECT count(*) FROM sqlite_schema').value();
  if (id === applicationId || (id === 0 && tables === 0)) return;
  throw new StoreError(`${file} is the database of another program`, 'Name another file, or move this one away.');
}

function configure(db: Database, file: string): void {
  allowReclaim(db);
  if (db.pragma('journal_mode = WAL') !== 'wal') {
    const fix = 'Keep the data directory on a local disk: the write-ahead log needs shared memory, which network shares lack.';
    throw new StoreError(`${file} cannot be switched to write-ahead logging`, fix);
  }
  // Some builds of SQLite default to NORMAL for a file in WAL mode, and NORMAL loses acknowledged commits.
  db.pragma('synchronous = FULL');
  // On macOS, fsync alone leaves data in the drive's cache. On other systems these settings have no effect.
  db.pragma('fullfsync = ON');
  db.pragma('checkpoint_fullfsync = ON');
  // REPLACE fires the triggers that protect terminal activities only with this setting.
  db.pragma('recursive_triggers = ON');
  db.pragma('trusted_schema = OFF');
  db.pragma('cell_size_check = ON');
  db.pragma('journal_size_limit = 67108864');
  // SQLite scans its whole cache on each commit. The pages that commits reuse fit into 4 MB, and the operating system caches the file
  // too. With the default of 16 MB a signature takes 5 % longer.
  db.pragma('cache_size = -4096');
  if (!isDurable(db)) {
    throw new StoreError(
      `SQLite does not keep synchronous=FULL for ${file}`,
      'Run a version of Node.js that this release supports, with the packages that its lockfile pins.',
    );
  }
}

/** Whether every acknowledged commit is on disk, read back from the engine. */
export function isDurable(db: Database): boolean {
  return db.pragma('synchronous') === 2 && db.pragma('journal_mode') === 'wal';
}

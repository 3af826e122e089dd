import { rmSync } from 'node:fs';
import type { LockMode, NamedRelease, Release } from '../store.ts';
import { StoreError } from '../store-errors.ts';
import { type Database, openDatabase } from './driver.ts';
import { isBusy, toOpenError } from './errors.ts';

/**
 * Locks a separate file next to the database with an open transaction. The operating system releases the lock when the process exits or
 * crashes, so no stale lock can remain. The file stays empty.
 */
export function lockInstallation(file: string, mode: LockMode): Release {
  const release = lock(file, mode);
  if (release !== undefined) return release;
  throw mode === 'exclusive'
    ? new StoreError(`a server is using ${file}`, 'Stop every server on this data directory, then try again.')
    : new StoreError(`maintenance is in progress on ${file}`, 'Wait until it has finished, then start again.');
}

/** Locks `<file>.lock` in the same way, exclusively. Undefined if another process has it. */
export function tryLock(file: string): Release | undefined {
  return lock(file, 'exclusive');
}

/** Locks `<file>.<name>.lock` in the same way. Undefined if another holder conflicts. */
export function tryNamedLock(file: string, name: string, mode: LockMode): NamedRelease | undefined {
  const release = lock(`${file}.${name}`, mode);
  return (
    release &&
    (async (remove) => {
      if (remove) rmSync(`${file}.${name}.lock`, { force: true });
      await release();
    })
  );
}

function lock(file: string, mode: LockMode): Release | undefined {
  const lockFile = `${file}.lock`;
  let db: Database;
  try {
    db = openDatabase(lockFile, { timeout: 0 });
  } catch (error) {
    throw toOpenError(error, lockFile);
  }
  try {
    if (mode === 'exclusive') {
      db.exec('BEGIN EXCLUSIVE');
    } else {
      // A transaction acquires its shared lock on its first read.
      db.exec('BEGIN');
      db.prepare('SELECT count(*) FROM sqlite_schema').row();
    }
  } catch (error) {
    db.close();
    if (!isBusy(error)) throw toOpenError(error, lockFile);
    return undefined;
  }
  return async () => {
    if (db.isOpen) db.close();
  };
}

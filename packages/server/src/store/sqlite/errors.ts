import { StoreError, StoreUnavailable } from '../store-errors.ts';

/** The code of an error, such as `SQLITE_IOERR` or `ENOENT`, or the empty string. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

/** The code of an error of SQLite, with its extended code (https://www.sqlite.org/rescode.html#extrc). */
function described(error: unknown): string {
  const { errcode } = error as { readonly errcode?: number };
  return errcode === undefined || errcode < 256 ? codeOf(error) : `${codeOf(error)}, extended code ${errcode}`;
}

/** Another connection temporarily holds a lock. */
export function isBusy(error: unknown): boolean {
  return ['SQLITE_BUSY', 'SQLITE_LOCKED'].includes(codeOf(error));
}

/** The schema rejects a row: an error of one entry, not of the database. */
export function isRefusedRow(error: unknown): boolean {
  return ['SQLITE_CONSTRAINT', 'SQLITE_TOOBIG', 'SQLITE_MISMATCH'].includes(codeOf(error));
}

function isDamage(code: string): boolean {
  return code === 'SQLITE_CORRUPT' || code === 'SQLITE_NOTADB';
}

const damageFix = 'Stop the server, keep a copy of the file for inspection and restore the newest backup.';

/** Converts the error of a failed open into one line for the operator. The file is unchanged. */
export function toOpenError(error: unknown, file: string): Error {
  if (error instanceof StoreError) return error;
  const code = codeOf(error);
  const options = { cause: error };
  if (code === 'SQLITE_NOTADB') {
    return new StoreError(`${file} is not a SQLite database`, 'Name another file, or move this one away.', options);
  }
  if (isDamage(code)) return new StoreError(`${file} is damaged`, damageFix, options);
  if (isBusy(error)) {
    return new StoreError(`${file} is locked by another process`, 'End the program that keeps it open, then try again.', options);
  }
  if (code === 'SQLITE_FULL' || code === 'ENOSPC') {
    return new StoreError(`the disk that holds ${file} is full`, 'Free some space, then try again.', options);
  }
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new StoreError(
      `the directory of ${file} does not exist`,
      'Create the directory, or name another data directory.',
      options,
    );
  }
  if (code === 'EISDIR') return new StoreError(`${file} is a directory`, 'Name a file.', options);
  if (['SQLITE_READONLY', 'SQLITE_CANTOPEN', 'EACCES', 'EPERM', 'EROFS'].includes(code)) {
    const fix =
      'Give the user that runs the server write access to the file and its directory, and check that the disk is not full.';
    return new StoreError(`${file} cannot be opened for writing`, fix, options);
  }
  if (code === 'SQLITE_IOERR') {
    const fix = 'Check the disk. SQLite needs a local file system: a network share will not do.';
    return new StoreError(`${file} cannot be read or written (${described(error)})`, fix, options);
  }
  return error instanceof Error ? error : new Error(String(error));
}

/** Converts the error of a failed operation. Damage needs an operator; temporary errors become `StoreUnavailable`. */
export function toRunError(error: unknown, outcomeUnknown: boolean): Error {
  const code = codeOf(error);
  if (isDamage(code)) return new StoreError('the database file is damaged', damageFix, { cause: error });
  if (isBusy(error))
    return new StoreUnavailable('the database file was locked for too long', { cause: error, outcomeUnknown: false });
  if (/^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|NOMEM|PROTOCOL)$/.test(code)) {
    const message = code === 'SQLITE_FULL' ? 'the disk is full' : `the database file cannot be used now (${described(error)})`;
    return new StoreUnavailable(message, { cause: error, outcomeUnknown });
  }
  return error instanceof Error ? error : new Error(String(error));
}

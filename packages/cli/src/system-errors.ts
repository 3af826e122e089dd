/** Codes of the operating system and of SQLite that an operator can fix, by cause. */
const fixes: readonly (readonly [codes: RegExp, fix: string])[] = [
  [/^(ENOSPC|EDQUOT|SQLITE_FULL)$/, 'The disk or the quota is full. Free some space, then run the command again.'],
  [/^(EIO|SQLITE_IOERR)$/, 'The storage reports an error. Check the disk and the log of the system, then run the command again.'],
  [/^(EROFS|SQLITE_READONLY)$/, 'The storage is read-only. Make it writable, then run the command again.'],
  [/^(EACCES|EPERM|SQLITE_CANTOPEN)$/, 'Give the user that runs the command access to the file and its directory.'],
  [/^(EMFILE|ENFILE)$/, 'Too many files are open. Raise the limit (ulimit -n), then run the command again.'],
];

/** An error of the system, and not of the program. */
export interface SystemError {
  /** The file, if the message of the error does not name it. */
  readonly path?: string;
  readonly fix: string;
}

/** Recognizes an error of the disk, the file system or the database, also as the cause of another error. */
export function systemErrorOf(error: Error): SystemError | undefined {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    const { code, path } = each as NodeJS.ErrnoException;
    const fix = typeof code === 'string' ? fixes.find(([codes]) => codes.test(code))?.[1] : undefined;
    if (fix !== undefined) return { fix, ...(path !== undefined && !error.message.includes(path) && { path }) };
  }
  // The command does not load the server before it needs it, so the class is recognized by its name.
  if (!['StoreUnavailable', 'StandbyRefused', 'DatabaseBehind'].includes(error.name)) return undefined;
  return { fix: 'Check the database and its log, then run the command again.' };
}

import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readdir, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { linkNew } from '../store/durable-file.ts';
import type { CopiedRows } from '../store/store.ts';
import { BackupError } from './backup-error.ts';
import { encryptTo } from './encryption.ts';
import { type Claims, type End, type Header, rowLine } from './format.ts';

/** Much faster than the default, for files that are hardly larger. */
const GZIP_LEVEL = 3;

export interface BackupContent {
  readonly header: Header;
  readonly rows: AsyncIterable<CopiedRows>;
  /** Called when all rows are written. */
  end(counts: Claims['counts'], digest: string): Promise<End>;
  onRows(count: number): void;
}

const TEMPORARY = /^(.+)\.[0-9a-f]{8}\.countersign-(\d+)\.tmp$/;
/** A running backup changes its file much more often. */
const ABANDONED_MS = 3_600_000;

/** Writes a backup that only its owner can read. The name appears with the whole content, durable, or not at all. */
export async function writeBackup(file: string, content: BackupContent, recipients: readonly string[]): Promise<End> {
  const temporary = `${file}.${randomBytes(4).toString('hex')}.countersign-${process.pid}.tmp`;
  const made: { end?: End } = {};
  const lines = Readable.from(linesOfBackup(content, made), { objectMode: false });
  const gzip = createGzip({ level: GZIP_LEVEL });
  const encrypted = recipients.length === 0 ? undefined : await encryptTo(recipients, gzip);
  try {
    // A file that cannot be removed does not prevent a backup.
    await removeAbandoned(file).catch(() => undefined);
    const target = createWriteStream(temporary, { flags: 'wx', mode: 0o600, flush: true });
    if (encrypted === undefined) await pipeline(lines, gzip, target);
    else await Promise.all([pipeline(lines, gzip), pipeline(encrypted, target)]);
    if (!(await linkNew(temporary, file))) throw alreadyThere(file);
  } catch (error) {
    throw toBackupError(error, file);
  } finally {
    await unlink(temporary).catch(() => undefined); // it may never have been made
  }
  if (made.end === undefined) throw new Error('the backup has no end');
  return made.end;
}

/** Removes temporary files of killed backups to the same file, and old ones to any file in the directory. */
async function removeAbandoned(file: string): Promise<void> {
  for (const name of await readdir(dirname(file))) {
    const [, target, pid] = TEMPORARY.exec(name) ?? [];
    if (target === undefined) continue;
    const path = join(dirname(file), name);
    const { ctimeMs } = await stat(path);
    const isAbandoned = Date.now() - ctimeMs >= ABANDONED_MS || (target === basename(file) && !isRunning(Number(pid)));
    if (isAbandoned) await unlink(path);
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

async function* linesOfBackup({ header, rows, end, onRows }: BackupContent, made: { end?: End }): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  const counts: Record<string, number> = Object.fromEntries(Object.keys(header.tables).map((name) => [name, 0]));
  const hashed = (text: string) => {
    const bytes = Buffer.from(`${text}\n`);
    hash.update(bytes);
    return bytes;
  };
  yield hashed(JSON.stringify(header));
  for await (const part of rows) {
    yield hashed(part.rows.map((values) => rowLine(part.table, values)).join('\n'));
    counts[part.table.name] = (counts[part.table.name] ?? 0) + part.rows.length;
    onRows(part.rows.length);
  }
  made.end = await end(counts, hash.digest('hex'));
  yield Buffer.from(`${JSON.stringify(made.end)}\n`);
}

function alreadyThere(file: string): BackupError {
  return new BackupError(`${file} already exists.`, 'Choose another file: a backup never replaces a file.');
}

function toBackupError(error: unknown, file: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EEXIST') return alreadyThere(file);
  if (code === 'ENOSPC')
    return new BackupError(`The disk of ${file} is full.`, 'Free some space, then try again.', { cause: error });
  if (code === 'ENOENT' || code === 'EACCES' || code === 'EROFS' || code === 'ENOTDIR')
    return new BackupError(`${file} cannot be written: ${code}.`, 'Choose a file in an existing, writable directory.', {
      cause: error,
    });
  return error;
}

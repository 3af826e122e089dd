import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Makes links, renames and removals in a directory survive a crash. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, constants.O_RDONLY);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/**
 * Writes a new file that only its owner can read. It is durable once the promise resolves. Returns false and changes nothing if the path
 * exists.
 * INVARIANT: the name appears with its whole content or not at all, even if the process dies or several processes write concurrently.
 */
export async function writeNewFile(path: string, content: Uint8Array): Promise<boolean> {
  const { temporary, file } = await createTemporary(path);
  try {
    await fill(file, content);
    return await linkNew(temporary, path);
  } finally {
    // At startup another process may have removed it as abandoned.
    await unlink(temporary).catch(() => undefined);
    await syncDirectory(dirname(path));
  }
}

/** Creates or replaces a file. It is durable once the promise resolves. A crash leaves either the old or the new file. */
export async function replaceFile(path: string, content: Uint8Array): Promise<void> {
  const { temporary, file } = await createTemporary(path);
  try {
    await fill(file, content);
    await renameDurably(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

/** Creates a temporary file in the same directory that only its owner can access. */
async function createTemporary(path: string): Promise<{ temporary: string; file: FileHandle }> {
  const temporary = `${path}.${randomBytes(8).toString('hex')}.tmp`;
  return { temporary, file: await open(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600) };
}

const TEMPORARY = /\.[0-9a-f]{16}\.tmp$/;

/**
 * Removes temporary files that killed processes left in a directory, if nothing has changed them for a while.
 * SECURITY: one may be a second name of a secret file.
 */
export async function removeAbandoned(directory: string, unchangedMs: number): Promise<void> {
  for (const name of (await readdir(directory)).filter((each) => TEMPORARY.test(each))) {
    const path = join(directory, name);
    // Another process may remove it at the same time.
    const changedMs = await stat(path).then(
      ({ ctimeMs }) => ctimeMs,
      () => undefined,
    );
    if (changedMs !== undefined && Date.now() - changedMs >= unchangedMs) await unlink(path).catch(() => undefined);
  }
}

/** Removes the temporary files of `path`. INVARIANT: the caller excludes other processes that write this file. */
export async function removeTemporaries(path: string): Promise<void> {
  const names = (await readdir(dirname(path))).filter((name) => TEMPORARY.test(name));
  const own = names.filter((name) => name.replace(TEMPORARY, '') === basename(path));
  for (const name of own) await unlink(join(dirname(path), name));
}

async function fill(file: FileHandle, content: Uint8Array): Promise<void> {
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Links a file to a second name durably. Returns false if that name exists. */
export async function linkNew(existing: string, path: string): Promise<boolean> {
  try {
    await link(existing, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  await syncDirectory(dirname(path));
  return true;
}

/** Renames durably. Replaces a file at the target atomically. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncDirectory(dirname(to));
}

import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { link, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes what was linked, renamed or removed in a directory survive a crash. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, constants.O_RDONLY);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/**
 * Writes a new file, readable by its owner only and durable when the promise resolves. False, and nothing changed, if the path exists.
 * INVARIANT: the name appears with its whole content or not at all, whenever the process dies and however many write at once.
 */
export async function writeNewFile(path: string, content: Uint8Array): Promise<boolean> {
  const temporary = `${path}.${randomBytes(8).toString('hex')}.tmp`;
  const file = await open(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    return await linkNew(temporary, path);
  } finally {
    await unlink(temporary);
    await syncDirectory(dirname(path));
  }
}

/** Gives a file a second name, durably. False if that name exists. */
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

/** Renames durably; what was at the target is replaced in the same instant. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncDirectory(dirname(to));
}

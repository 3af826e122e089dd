import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import type { AuditSink } from './audit-sink.ts';

export interface FileSinkOptions {
  readonly path: string;
  /** The file is renamed once it has this many bytes, and a new one begins. */
  readonly maxBytes: number;
  /** Whether a record counts as taken only when it is on the disk. */
  readonly sync: boolean;
}

/**
 * Appends records to a file. Any number of processes may write to one file, and other programs may rename it: the sink notices, and
 * begins a new one.
 * SECURITY: D610: renamed files are never deleted, so that a flood of requests does not push older records out.
 */
export function fileSink({ path, maxBytes, sync }: FileSinkOptions): AuditSink & { open(): Promise<void> } {
  let file: { readonly handle: FileHandle; readonly inode: number } | undefined;
  let isTorn = false;

  async function reopen(): Promise<FileHandle> {
    await file?.handle.close();
    file = undefined;
    const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
    const handle = await open(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
    file = { handle, inode: (await handle.stat()).ino };
    return handle;
  }

  /** The file to write to: the one with this path, unless it is full. */
  async function current(): Promise<FileHandle> {
    const found = await stat(path).catch((error: NodeJS.ErrnoException): Stats | undefined => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (file === undefined || found === undefined || found.ino !== file.inode) return reopen();
    if (found.size < maxBytes) return file.handle;
    const time = new Date().toISOString().replaceAll(':', '-');
    // The name is unique among processes and machines. If two rename at the same time, the second finds no file, or one with few records.
    await rename(path, `${path}.${time}.${randomBytes(4).toString('hex')}`).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    return reopen();
  }

  return {
    open: async () => void (await reopen()),
    async write(lines) {
      const handle = await current();
      const text = `${isTorn ? '\n' : ''}${lines.join('\n')}\n`;
      // A failed write may leave a part of a line. The next write ends that line.
      isTorn = true;
      await handle.appendFile(text);
      isTorn = false;
      if (sync) await handle.datasync();
    },
    async close() {
      await file?.handle.close();
      file = undefined;
    },
  };
}

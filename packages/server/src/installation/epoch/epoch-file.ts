import { replaceFile, writeNewFile } from '../../store/durable-file.ts';
import { type FileHighWaterMark, readIfPresent, renameAside } from '../../store/high-water-mark.ts';
import type { Integrity } from '../../vault/vault.ts';
import { type Epoch, readEpoch, sealEpoch } from './epoch.ts';
import { EpochError, fileUnreadable } from './epoch-error.ts';

/** The highest epoch that a data directory has served. */
export interface EpochFile extends FileHighWaterMark<Epoch> {
  /** Records an epoch unless one is recorded. Returns the recorded epoch. */
  recordFirst(epoch: Epoch): Promise<Epoch>;
}

/** The epoch in a file, under a MAC. `read` throws EpochError for a file of another installation. Writes are durable and atomic. */
export function epochFile(path: string, integrity: Integrity): EpochFile {
  const content = (epoch: Epoch) => Buffer.from(`${sealEpoch(integrity, epoch)}\n`);
  const orUnwritable = <T>(write: Promise<T>): Promise<T> =>
    write.catch((cause: NodeJS.ErrnoException) => {
      throw unwritable(path, cause);
    });

  async function read(): Promise<Epoch | undefined> {
    const text = await readIfPresent(path);
    if (text === undefined) return undefined;
    const epoch = readEpoch(integrity, text);
    if (epoch === undefined) throw fileUnreadable(path);
    return epoch;
  }

  return {
    read,
    async raise(epoch) {
      await orUnwritable(replaceFile(path, content(epoch)));
      return epoch;
    },
    async recordFirst(epoch) {
      const written = await orUnwritable(writeNewFile(path, content(epoch)));
      return written ? epoch : ((await read()) ?? epoch);
    },
    setAside: (nowMs) => renameAside(path, nowMs),
  };
}

function unwritable(path: string, cause: NodeJS.ErrnoException): EpochError {
  return new EpochError(
    `The epoch cannot be recorded in ${path}: ${cause.code}.`,
    'Give this user write access there and free some disk space, or choose another --data-dir.',
    { cause },
  );
}

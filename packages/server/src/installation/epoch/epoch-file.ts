import { readFile } from 'node:fs/promises';
import { renameDurably, replaceFile, writeNewFile } from '../../vault/providers/durable-file.ts';
import type { Integrity } from '../../vault/vault.ts';
import { type Epoch, readEpoch, sealEpoch } from './epoch.ts';
import { EpochFault, noteUnreadable } from './epoch-error.ts';

/** The highest epoch that a data directory has served. Undefined if there is none. Throws EpochFault for a note of another installation. */
export async function readEpochNote(path: string, integrity: Integrity): Promise<Epoch | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const epoch = readEpoch(integrity, text);
  if (epoch === undefined) throw noteUnreadable(path);
  return epoch;
}

/** Notes an epoch durably, in place of an earlier one. */
export async function writeEpochNote(path: string, integrity: Integrity, epoch: Epoch): Promise<void> {
  await replaceFile(path, toFile(integrity, epoch)).catch((cause: unknown) => {
    throw cannotNote(path, cause);
  });
}

/** Notes an epoch where none is noted. Gives the one that is noted afterwards. */
export async function noteEpochOnce(path: string, integrity: Integrity, epoch: Epoch): Promise<Epoch> {
  const written = await writeNewFile(path, toFile(integrity, epoch)).catch((cause: unknown) => {
    throw cannotNote(path, cause);
  });
  return written ? epoch : ((await readEpochNote(path, integrity)) ?? epoch);
}

/** Gives the note another name, which nobody reads. It stays as evidence. */
export async function setEpochNoteAside(path: string, nowMs: number): Promise<void> {
  await renameDurably(path, `${path}.lost-${new Date(nowMs).toISOString().replaceAll(':', '')}`).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    },
  );
}

const toFile = (integrity: Integrity, epoch: Epoch) => Buffer.from(`${sealEpoch(integrity, epoch)}\n`);

function cannotNote(path: string, cause: unknown): EpochFault {
  return new EpochFault(
    `The epoch cannot be noted in ${path}: ${(cause as NodeJS.ErrnoException).code}.`,
    'Give this user the right to write there and room on the disk, or choose another --data-dir.',
    { cause },
  );
}

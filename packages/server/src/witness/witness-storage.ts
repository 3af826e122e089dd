import { hash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type NoteVerifier, type OpenCheckpoint, openCheckpoint, TlogError } from '@countersign/tlog';
import { replaceFile } from '../store/durable-file.ts';
import { WitnessError } from './witness-key.ts';

/** State of a witness: the last checkpoint of each log that it cosigned, with its own cosignature. */
export interface WitnessStorage {
  /** The signed note of the last checkpoint. Undefined if this log was never cosigned. Throws WitnessError for a file that was altered. */
  read(origin: string): Promise<StoredCheckpoint | undefined>;
  /** Stores the checkpoint durably. INVARIANT: a process that dies leaves the old one or the new one. */
  write(origin: string, note: string): Promise<void>;
}

export interface StoredCheckpoint extends OpenCheckpoint {
  readonly signed: string;
}

/** The name of a log in paths: the SHA-256 of its origin in hex, as C2SP tlog-mirror names it. */
export const originHash = (origin: string): string => hash('sha256', origin);

/**
 * One file per log. SECURITY: a file is trusted only with the cosignature of this witness. A file without it is not treated as missing,
 * because the witness would then cosign any tree.
 */
export async function openWitnessStorage(directory: string, own: NoteVerifier): Promise<WitnessStorage> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const fileOf = (origin: string) => join(directory, `${originHash(origin)}.checkpoint`);
  return {
    async read(origin) {
      const path = fileOf(origin);
      const signed = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw error;
      });
      if (signed === undefined) return undefined;
      try {
        return { ...openCheckpoint(signed, origin, [own]), signed };
      } catch (error) {
        if (!(error instanceof TlogError)) throw error;
        throw new WitnessError(
          `${path} is not a checkpoint that this witness cosigned: ${error.message}.`,
          'Restore the file from the newest copy. If there is none, this witness must not continue with its key: start a new one.',
          { cause: error },
        );
      }
    },
    write: (origin, note) => replaceFile(fileOf(origin), Buffer.from(note)),
  };
}

import { hash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type NoteVerifier, type OpenCheckpoint, openCheckpoint, TlogError } from '@countersign/tlog';
import { replaceFile } from '../store/durable-file.ts';
import { type CosignedLogs, WitnessError } from './witness-key.ts';

/** State of a witness: the last checkpoint of each log that it cosigned, with its own cosignature. */
export interface WitnessStorage {
  /**
   * The signed note of the last checkpoint. Undefined if this log was never cosigned. Throws WitnessError for a file that was altered,
   * removed, or replaced by that of an older tree.
   */
  read(origin: string): Promise<StoredCheckpoint | undefined>;
  /** Stores the checkpoint durably. INVARIANT: a process that dies leaves the old one or the new one. */
  write(origin: string, note: string): Promise<void>;
}

export interface StoredCheckpoint extends OpenCheckpoint {
  readonly signed: string;
}

/** The name of a log in paths: the SHA-256 of its origin in hex, as C2SP tlog-mirror names it. */
export const originHash = (origin: string): string => hash('sha256', origin);

const FIX =
  'Restore the file from the newest copy. If there is none, this witness must not continue with its key: start a new one with another --data-dir.';

/**
 * One file per log. SECURITY: a file is trusted only with the cosignature of this witness. A file without it is not treated as missing,
 * because the witness would then cosign any tree. For the same reason a missing file counts as a new log only if this witness never
 * cosigned the log: the list of logs in the key file survives a restart, and the last tree of each is in memory.
 */
export async function openWitnessStorage(directory: string, own: NoteVerifier, cosigned: CosignedLogs): Promise<WitnessStorage> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const fileOf = (origin: string) => join(directory, `${originHash(origin)}.checkpoint`);
  const newest = new Map<string, StoredCheckpoint>();

  function parse(origin: string, signed: string): StoredCheckpoint {
    try {
      return { ...openCheckpoint(signed, origin, [own]), signed };
    } catch (error) {
      if (!(error instanceof TlogError)) throw error;
      throw new WitnessError(`${fileOf(origin)} is not a checkpoint that this witness cosigned: ${error.message}.`, FIX, {
        cause: error,
      });
    }
  }

  /** INVARIANT: the tree of the file never goes back while this process runs. */
  function requireNotOlder(origin: string, stored: StoredCheckpoint, last: StoredCheckpoint | undefined): void {
    if (last === undefined || stored.size > last.size) return;
    if (stored.size === last.size && Buffer.compare(stored.root, last.root) === 0) return;
    throw new WitnessError(
      `${fileOf(origin)} has a tree of ${stored.size} entries, and this witness has cosigned another one of ${last.size}.`,
      FIX,
    );
  }

  function remember(origin: string, stored: StoredCheckpoint): void {
    if (stored.size > (newest.get(origin)?.size ?? -1)) newest.set(origin, stored);
  }

  return {
    async read(origin) {
      // Taken before the file is read, which a concurrent write may replace.
      const last = newest.get(origin);
      const signed = await readOrUndefined(fileOf(origin));
      if (signed === undefined) {
        if (last === undefined && !cosigned.has(originHash(origin))) return undefined;
        throw new WitnessError(`${fileOf(origin)} is missing, and this witness has cosigned the log ${origin}.`, FIX);
      }
      // The same bytes were verified before, in this process.
      const stored = signed === last?.signed ? last : parse(origin, signed);
      requireNotOlder(origin, stored, last);
      remember(origin, stored);
      // A killed process may have stored a tree without this. It has not sent the cosignature.
      await cosigned.add(originHash(origin));
      return stored;
    },
    async write(origin, note) {
      await replaceFile(fileOf(origin), Buffer.from(note));
      remember(origin, parse(origin, note));
      // INVARIANT: after the file. A process that dies in between would otherwise leave a log whose file is missing.
      await cosigned.add(originHash(origin));
    },
  };
}

async function readOrUndefined(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

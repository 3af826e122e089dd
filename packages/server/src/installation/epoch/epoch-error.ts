import { OperatorError } from '@countersign/contract';
import type { Epoch } from './epoch.ts';

/** The database and this data directory do not belong together, or the epoch was altered. */
export class EpochError extends OperatorError {
  override readonly name = 'EpochError';
}

const recover = "stop every server and run 'countersign recover --accept-loss'";

const named = ({ number, raisedAtMs }: Epoch) => `epoch ${number} (since ${new Date(raisedAtMs).toISOString()})`;

export function epochAltered(): EpochError {
  return new EpochError(
    'The epoch in the database is not one that this installation wrote.',
    'Find out who wrote to the database, then restore it from a backup made before that.',
  );
}

export function epochGone(seen: Epoch): EpochError {
  return new EpochError(
    `The database names no epoch, and this data directory has served ${named(seen)}: it was put back, or its setting was deleted.`,
    `Bring the newest database back. If there is none, ${recover}.`,
  );
}

/** For a database of an earlier epoch than one that the data directory has served. */
export function epochBehind(seen: Epoch, stored: Epoch): EpochError {
  return new EpochError(
    `The database is at ${named(stored)}, and this data directory has served ${named(seen)}: this is a copy from before a backup was restored.`,
    'Use the database that was restored. This one must not sign any more.',
  );
}

/** For a database whose own log has another epoch, or none after the first. */
export function epochNotLogged(logged: Pick<Epoch, 'number'> | undefined, stored: Epoch): EpochError {
  const cause =
    logged === undefined
      ? 'its log does not say that it began: the entry was deleted'
      : `its log says that epoch ${logged.number} began: the setting was put back, or an entry was deleted`;
  return new EpochError(
    `The database is at ${named(stored)}, and ${cause}.`,
    'Find out who wrote to the database, then restore it from a backup made before that.',
  );
}

/** For two copies that were restored from one backup. */
export function epochOfAnotherCopy(stored: Epoch): EpochError {
  return new EpochError(
    `The database is another copy of this installation: its ${named(stored)} is not the one that this data directory has served.`,
    `Use the database that this data directory belongs to. If this copy is to go on, ${recover}.`,
  );
}

/** For a database file that lies in a directory which never served it. */
export function epochUnseen(stored: Epoch, file: string): EpochError {
  return new EpochError(
    `This data directory has never served the database in it (${named(stored)}): the file was copied here without ${file}, so nobody can tell whether it is complete.`,
    `Make copies with 'countersign backup' and 'countersign restore'. If this file is all there is, ${recover}.`,
  );
}

export function fileUnreadable(path: string): EpochError {
  return new EpochError(
    `${path} was not written by this installation.`,
    `Check --data-dir. If this data directory was used with another database before, ${recover}.`,
  );
}

import { OperatorError } from '@countersign/contract';
import type { Epoch } from './epoch.ts';

/** The database does not belong to this data directory, or the epoch was altered. */
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
    `The database has no epoch, but this data directory has served ${named(seen)}: the database was rolled back, or its setting was deleted.`,
    `Restore the newest database. If it is lost, ${recover}.`,
  );
}

/** For a database of an earlier epoch than one that the data directory has served. */
export function epochBehind(seen: Epoch, stored: Epoch): EpochError {
  return new EpochError(
    `The database is at ${named(stored)}, but this data directory has served ${named(seen)}: this is a copy from before a backup was restored.`,
    'Use the restored database. This one must no longer sign.',
  );
}

/** For a database whose own log has another epoch, or none after the first. */
export function epochNotLogged(logged: Pick<Epoch, 'number'> | undefined, stored: Epoch): EpochError {
  const cause =
    logged === undefined
      ? 'its log does not contain the start of this epoch: the entry was deleted'
      : `its log contains the start of epoch ${logged.number}: the setting was rolled back, or an entry was deleted`;
  return new EpochError(
    `The database is at ${named(stored)}, but ${cause}.`,
    'Find out who wrote to the database, then restore it from a backup made before that.',
  );
}

/** For two copies that were restored from one backup. */
export function epochOfAnotherCopy(stored: Epoch): EpochError {
  return new EpochError(
    `The database is another copy of this installation: its ${named(stored)} is not the one that this data directory has served.`,
    `Use the database that this data directory belongs to. To continue with this copy, ${recover}.`,
  );
}

/** For a database file in a directory that has never served it. */
export function epochUnseen(stored: Epoch, file: string): EpochError {
  return new EpochError(
    `This data directory has never served the database in it (${named(stored)}): the file was copied here without ${file}, so it may be incomplete.`,
    `Make copies with 'countersign backup' and 'countersign restore'. If this file is the only copy, ${recover}.`,
  );
}

export function fileUnreadable(path: string): EpochError {
  return new EpochError(
    `${path} was not written by this installation.`,
    `Check --data-dir. If this data directory was used with another database before, ${recover}.`,
  );
}

/** For a data directory that is bound to another machine. */
export function otherMachine(path: string, how: string): EpochError {
  return new EpochError(
    `This data directory is bound to another machine (${how} in ${path}): it was copied, or the identity of this machine has changed.`,
    `Start the service on its own machine. If that one no longer runs and this directory replaces it, ${recover}.`,
  );
}

/** For a file that does not contain the binding to a machine. */
export function machineFileUnreadable(path: string, options: ErrorOptions): EpochError {
  return new EpochError(
    `${path} was not written by this installation.`,
    `Restore the file. If it is lost, make sure that no other copy of this data directory runs, then ${recover}.`,
    options,
  );
}
